"""The files in `deploy/` say what is true: commands, options, ports, variables, and the time to stop."""

from __future__ import annotations

import re

import pytest

from dramaturg.kernel.settings import _VARIABLES, ServerSettings, read_settings
from dramaturg.server.app import create_app
from tests.cluster.deployment import DEPLOY, Declared, compose, composed, manifests, orchestrated

PORT = 8321


@pytest.mark.parametrize("processes", [composed(), orchestrated()], ids=["compose", "kubernetes"])
def test_two_servers_and_three_workers_are_started_with_options_that_exist(processes: list[Declared]) -> None:
    assert [(one.name, one.count) for one in processes] == [("server", 2), ("worker", 3)]
    server, worker = (one.options for one in processes)
    assert (server["host"], server["port"], str(server["project"])) == ("0.0.0.0", PORT, "/story")
    assert (worker["queues"], worker["places"], str(worker["project"])) == ("interactive,batch", 16, "/story")


def test_a_command_with_a_mistake_would_be_noticed() -> None:
    with pytest.raises(Exception, match="such option"):
        _ = Declared("x", ("worker", "--placess", "3"), 1, {}).options


def test_health_is_asked_for_where_the_server_answers() -> None:
    app = create_app(read_settings(DEPLOY, {"DRAMATURG_TOKEN": "t" * 40}))
    assert "/healthz" in app.openapi()["paths"]
    checked = " ".join(compose()["services"]["server"]["healthcheck"]["test"])
    assert f"http://127.0.0.1:{PORT}/healthz" in checked
    caddy = (DEPLOY / "Caddyfile").read_text()
    assert "dynamic" not in caddy  # no health is checked there
    assert "health_uri /healthz" in caddy
    (server, _) = orchestrated()
    (port,) = server.details["ports"]
    assert port["containerPort"] == PORT
    assert server.details["readinessProbe"]["httpGet"] == {"path": "/healthz", "port": port["name"]}
    service = next(one for one in manifests() if one["kind"] == "Service")
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]


def test_the_proxy_names_every_server_that_is_started() -> None:
    server, _ = composed()
    names = " ".join(f"{compose()['name']}-{server.name}-{number + 1}:{PORT}" for number in range(server.count))
    assert f"\tto {names}\n" in (DEPLOY / "Caddyfile").read_text()


def test_who_has_logged_in_at_a_server_or_waits_there_stays_there() -> None:
    assert "lb_policy cookie" in (DEPLOY / "Caddyfile").read_text()
    found = {one["kind"]: one for one in manifests()}
    assert found["Service"]["spec"]["sessionAffinity"] == "ClientIP"
    assert found["Ingress"]["metadata"]["annotations"]["nginx.ingress.kubernetes.io/affinity"] == "cookie"


def test_every_variable_is_one_that_is_read() -> None:
    settings = read_settings(DEPLOY, {"DRAMATURG_TOKEN": "t" * 40})
    known = {*_VARIABLES.values(), "DRAMATURG_TRUST", settings.server.token_env, settings.players.secret_env}
    known |= {"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"}
    for one in composed():
        assert set(one.details["environment"]) <= known
    config = next(one for one in manifests() if one["kind"] == "ConfigMap")
    secret = re.findall(r"--from-literal=(\w+)=", (DEPLOY / "kubernetes.yaml").read_text())
    assert {*config["data"], *secret} <= known
    assert settings.players.secret_env in secret


def test_a_process_has_longer_to_stop_than_it_takes() -> None:
    longest = ServerSettings().drain_seconds + ServerSettings().grace_seconds
    for one in composed():
        assert int(one.details["stop_grace_period"].removesuffix("s")) > longest
    for one in manifests():
        if one["kind"] == "Deployment":
            assert one["spec"]["template"]["spec"]["terminationGracePeriodSeconds"] > longest


def test_the_settings_queue_runs_and_sign_with_a_secret_of_all() -> None:
    settings = read_settings(DEPLOY, {})
    assert settings.queue.enabled
    assert settings.players.secret_env == "PLAYERS_KEY"
    assert settings.server.proxies
