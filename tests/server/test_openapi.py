"""The description is good enough to make a client of, and what is sent is what was described."""

import threading
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from dramaturg.kernel.settings import Settings
from dramaturg.server.app import create_app
from tests.model_server import ModelServer
from tests.server.described import SCHEMA
from tests.server.visitor import Visitor

OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, operations in SCHEMA["paths"].items()
    for method, operation in operations.items()
}


def test_the_apps_of_a_process_share_their_description_unless_one_has_other_routes() -> None:
    one, other, longer = (create_app(Settings(project=Path(name))) for name in ("one", "other", "longer"))
    longer.get("/v1/longer")(lambda: None)
    assert one.openapi() is other.openapi()
    assert "/v1/longer" not in one.openapi()["paths"]
    assert longer.openapi()["paths"].keys() - one.openapi()["paths"].keys() == {"/v1/longer"}


async def test_it_is_made_in_a_thread_so_that_others_are_answered_meanwhile(visitor: Visitor) -> None:
    made_in: list[int] = []

    def described() -> dict[str, Any]:
        made_in.append(threading.get_ident())
        return SCHEMA

    visitor.server._app.openapi = described  # type: ignore[method-assign]
    assert (await visitor.get("/openapi.json")).json == SCHEMA
    assert made_in
    assert threading.get_ident() not in made_in


def test_every_operation_has_a_name_a_client_can_use() -> None:
    assert set(OPERATIONS) == {
        "list_scenes", "get_scene", "check_scene", "save_scene", "get_scene_source", "put_scene_source",
        "play_scene", "get_transcript", "get_result", "get_costs", "get_spending", "fork_run",
        "send_direction", "list_directions",
        "list_acts", "play_act", "get_act", "fork_act",
        "list_seats", "take_seat", "free_seat", "follow_seat", "answer_from_seat", "leave_seat",
        "list_runs", "get_run", "follow_run", "cancel_run", "resume_run", "delete_run", "export_scene",
        "explain_line", "question_line", "get_ablation", "play_takes", "get_takes", "get_run_programme",
        "get_recording_progress", "get_run_captions",
        "listen_to_run", "get_line_takes", "retake_line", "choose_take", "edit_line", "strike_line",
        "list_characters", "get_character", "get_card", "edit_card", "import_card", "get_portrait", "get_lorebook",
        "edit_lorebook", "try_lorebook", "list_lorebooks", "get_project_lorebook", "edit_project_lorebook",
        "begin_lorebook", "try_project_lorebook", "get_card_files", "put_portrait", "rename_character",
        "delete_character", "list_deleted_characters", "restore_character",
        "list_memories", "edit_memory", "forget_memory", "forget_everything",
        "get_model", "complete_chat", "speak_text", "ask_aloud", "choose_model", "list_local_models", "pull_model",
        "stop_pull", "probe_health",
        "list_models", "get_health", "get_login", "log_in", "end_login", "get_audio", "follow_consultation",
        "ask_ensemble", "get_ensemble", "list_sessions", "get_session", "follow_session", "reset_kiosk",
        "get_manifest_file", "get_programme", "voice_session",
        "make_programme", "list_programmes", "get_run_programme_files", "get_programme_file", "voice_run",
        "get_voicing",
        "list_episodes", "get_episode", "list_series", "get_series",
        "open_session", "delete_session", "list_messages", "send_message", "pick_choice", "retry_answer",
        "continue_answer", "draft_message", "set_voice", "get_recording",
        "swipe_message", "choose_message", "edit_message", "delete_message", "branch_session", "list_branches",
        "list_evaluations", "evaluate_again", "get_directors_cut",
        "preview_share", "share_result", "list_shares", "revoke_share", "get_shared_result", "count_view",
        "renew_token", "log_out", "list_tokens", "issue_token", "revoke_token",
        "list_own_sessions", "get_relationship", "delete_player", "list_my_memories", "forget_my_memory",
        "list_projects", "get_book", "get_work_order", "show_prompt", "consult_foreman", "get_consultation",
        "list_decisions", "add_decision", "get_history", "settle_decision",
        "list_notebooks", "ask_notebook", "change_mode", "undo_action", "list_undoable", "confirm_offer",
        "list_graph_characters", "get_graph_entity", "get_graph_path", "get_graph_knowledge", "get_graph_meetings",
        "get_scene_graph", "list_concerns",
        "list_hosted_sessions", "get_hosted_session", "set_session_model", "get_limits", "get_episode_source",
        "put_episode_source", "check_episode_source", "begin_episode", "listen_to_line",
        "list_rehearsals", "start_rehearsal", "get_rehearsal",
        "start_health_check", "get_health_report", "get_health_page", "start_drill", "get_drill",
        "list_conflicts", "resolve_conflict", "reopen_conflict", "list_merges", "undo_merge",
        "list_works", "price_work", "start_work", "get_work",
        "list_voice_rules", "ban_words", "lift_ban", "waive_rule", "check_own_pages", "check_page", "measure_page",
        "draw_lineup", "get_lineup", "choose_passage", "select_winner", "get_voice_report", "write_voice_bundle",
        "lock_voice",
        "list_bible_pages", "get_bible_page", "write_bible_page", "list_consultations",
        "list_manuscript_scenes", "get_manuscript_scene", "write_manuscript_scene",
        "list_waivers", "waive_check", "withdraw_waiver",
        "get_draft", "get_variant", "choose_variant", "make_hybrid", "stage_scaffold",
        "list_scaffolds", "plan_scene", "get_scaffold", "list_promises", "take_promise_step",
        "list_patches", "accept_patches", "reject_patches",
        "pull_thread", "retcon_fact", "get_book_series", "check_book_series",
        "list_versions", "get_version", "compare_versions", "restore_version",
        "preview_import", "import_manuscript", "review_manuscript", "accept_review", "list_speakers",
        "export_manuscript",
    }  # fmt: skip


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_says_what_it_does_and_what_comes_back(name: str) -> None:
    _, path, operation = OPERATIONS[name]
    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    succeeded = [status for status in operation["responses"] if status.startswith("2")]
    assert succeeded
    for status, response in operation["responses"].items():
        assert response["description"]
        content = response.get("content", {})
        if status.startswith(("4", "5")):
            assert content["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorBody"}
        elif status != "204":
            assert all(kind["schema"] for kind in content.values()), path
    for parameter in operation.get("parameters", []):
        assert parameter["description"], parameter["name"]


def test_every_reference_leads_somewhere() -> None:
    known = SCHEMA["components"]["schemas"]
    for reference in _references(SCHEMA):
        assert reference.removeprefix("#/components/schemas/") in known


@pytest.mark.parametrize("name", SCHEMA["components"]["schemas"])
def test_every_value_is_described(name: str) -> None:
    schema = SCHEMA["components"]["schemas"][name]
    assert name == "JsonValue" or schema.get("description")


def test_every_operation_but_the_health_route_says_that_it_may_want_a_token() -> None:
    for name, (_, _, operation) in OPERATIONS.items():
        assert (
            ("401" in operation["responses"])
            is bool(operation.get("security"))
            is (name not in ("get_health", "probe_health"))
        ), name


async def test_what_is_sent_is_what_was_described(guest: Visitor, models: ModelServer) -> None:
    started = await guest.post("/v1/scenes", {"scene": "argument"})
    run = started.json["run"]
    _check(started.json, OPERATIONS["play_scene"][2]["responses"]["202"])
    for sent in await guest.to_the_end(run):
        _valid(sent.data, {"$ref": "#/components/schemas/PublicEntry"})
    why = (await guest.post(f"/v1/runs/{run}/why/2")).json["run"]
    takes = (await guest.post("/v1/takes", {"scene": "argument", "count": 1, "models": ["rehearsal"]})).json["takes"]
    (guest.studio.settings.project / "acts").mkdir()
    (guest.studio.settings.project / "acts" / "once.yaml").write_text("scenes: [argument]", encoding="utf-8")
    acting = await guest.post("/v1/acts", {"act": "once", "model": "rehearsal"})
    _check(acting.json, OPERATIONS["play_act"][2]["responses"]["202"])
    await guest.studio.engine.join()
    for method, path, operation in OPERATIONS.values():
        if "/works/{" in path:
            continue
        described = operation["responses"].get("200")
        elsewhere = (
            "/sessions",
            "/players",
            "/host/episodes",
            "/host/rehearsals/{",
            "/episodes/{name}",
            "/series/{name}",
            "/results",
            "{turn}",
            "{key}",
            "}/health",
            "}/drill",
            "/bible/{name}",
            "/manuscript/scenes/{scene}",
            "}/thread",
            "}/series",
        )
        elsewhere = (
            *elsewhere,
            "/graph",
            "/versions",
            "/voice/",
            "}/voice",
            "/drafts/",
            "/scaffolds/{",
            "/programme",
            "/{book}",
        )
        of_a_scene = not any(part in path for part in elsewhere)
        if method == "get" and of_a_scene and described and "application/json" in described["content"]:
            act = acting.json["run"] if path.startswith("/v1/acts") else run
            path = path.replace("{run_id}", why if path.endswith("/ablation") else act).replace("{takes_id}", takes)
            for what in ("2", "end") if "{what}" in path else ("",):
                name = "argument" if path.startswith("/v1/scenes/") else "alice"
                asked = path.replace("{what}", what).replace("{name}", name).replace("{form}", "json")
                asked = asked.replace("{project}", "main").replace("{line}", "2").replace("{model}", "character/alice")
                _check((await guest.get(asked)).json, described)
    _check((await guest.get("/v1/runs/nobody")).json, OPERATIONS["get_run"][2]["responses"]["404"])


def _check(value: Any, described: dict[str, Any]) -> None:
    _valid(value, described["content"]["application/json"]["schema"])


def _valid(value: Any, schema: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator({**schema, "components": SCHEMA["components"]}).validate(value)


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for child in value.values() for found in _references(child)]
    return [found for child in value for found in _references(child)] if isinstance(value, list) else []
