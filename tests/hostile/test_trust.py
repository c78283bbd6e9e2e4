"""What a project from elsewhere asks for, and that consent to it covers exactly that."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dramaturg.kernel.errors import AuthorError, InvalidSettings, NotTrusted
from dramaturg.kernel.models.catalogue import KNOWN
from dramaturg.kernel.settings import Settings, read_settings
from dramaturg.studio import Studio
from dramaturg.trust import ConsentBook, require_consent, wishes_of
from dramaturg.trust.wishes import ELEVENLABS_KEY, _homes
from dramaturg.voices.providers import elevenlabs_voice
from tests.hostile.projects import ASKING, EVIL, HARMLESS, REFUSED, HostileProject, provider

CANARIES = {"ANTHROPIC_API_KEY": "sk-canary-a", "OPENAI_API_KEY": "sk-canary-o", "AWS_SECRET_ACCESS_KEY": "sk-canary-w"}
ROOT = Path(__file__).parents[2]


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {**CANARIES, "HOME": str(tmp_path / "home")}


def named(project: HostileProject) -> str:
    return project.name


@pytest.mark.parametrize("project", ASKING, ids=named)
async def test_it_asks_in_plain_words_and_nothing_is_opened(project: HostileProject, tmp_path: Path, env) -> None:
    story = project.write(tmp_path / "story")
    with pytest.raises(NotTrusted) as refused:
        async with Studio.open(read_settings(story, env)):
            pass
    for words in (*project.told, "dramaturg trust", "--trust", "DRAMATURG_TRUST=1"):
        assert words in refused.value.message
    assert not any(value in refused.value.message for value in (*CANARIES.values(), "hunter2"))
    assert not (story / "data").exists()


@pytest.mark.parametrize("project", HARMLESS, ids=named)
async def test_what_asks_for_nothing_is_opened(project: HostileProject, tmp_path: Path, env) -> None:
    settings = read_settings(project.write(tmp_path / "story"), env)
    assert wishes_of(settings) == ()
    async with Studio.open(settings):
        pass


@pytest.mark.parametrize("project", REFUSED, ids=named)
def test_what_nobody_should_allow_is_an_error(project: HostileProject, tmp_path: Path, env) -> None:
    with pytest.raises(InvalidSettings) as refused:
        wishes_of(read_settings(project.write(tmp_path), env))
    assert all(words in refused.value.message for words in project.told)
    assert "hunter2" not in refused.value.message


@pytest.mark.parametrize("project", ASKING, ids=named)
def test_consent_covers_exactly_what_was_shown(project: HostileProject, tmp_path: Path, env) -> None:
    story = project.write(tmp_path / "story")
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    require_consent(read_settings(story, env))
    other = provider("xai", base_url="https://other.example/v1")
    (story / "dramaturg.toml").write_text(f"{project.settings}\n{other}", encoding="utf-8")
    with pytest.raises(NotTrusted, match="XAI_API_KEY") as refused:
        require_consent(read_settings(story, env))
    assert len(refused.value.context["wishes"]) == 1


def test_an_address_that_changes_after_consent_asks_again(tmp_path: Path, env) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    HostileProject("", provider("openai", base_url=f"{EVIL}2")).write(story)
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))


def test_a_database_to_listen_to_that_changes_after_consent_asks_again(tmp_path: Path, env) -> None:
    given = {**env, "DRAMATURG_STORE_URL": "postgresql://db.example/x"}
    story = HostileProject("", '[store]\nlisten_url = "postgresql://db.example/x"\n').write(tmp_path / "story")
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, given)))
    require_consent(read_settings(story, given))
    HostileProject("", '[store]\nlisten_url = "postgresql://evil.example/x"\n').write(story)
    with pytest.raises(NotTrusted, match=r"evil\.example"):
        require_consent(read_settings(story, given))


def test_a_program_that_changes_after_consent_asks_again(tmp_path: Path, env) -> None:
    command = '[notebooks.rim]\nrole = "world"\ncommand = ["python3", "start.py"]\n'
    story = HostileProject("", command, files={"start.py": "print(1)"}).write(tmp_path / "story")
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    require_consent(read_settings(story, env))
    (story / "start.py").write_text("print(2)", encoding="utf-8")
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))


def test_consent_is_a_projects_own_and_not_its_neighbours_or_childrens(tmp_path: Path, env) -> None:
    asking = HostileProject("", provider("openai", base_url=EVIL))
    parent, child, twin = (asking.write(tmp_path / name) for name in ("a", "a/b", "c"))
    ConsentBook.of(env).remember(parent, wishes_of(read_settings(parent, env)))
    require_consent(read_settings(parent, env))
    for other in (child, twin):
        with pytest.raises(NotTrusted):
            require_consent(read_settings(other, env))


def test_a_linked_project_is_the_project_it_links_to(tmp_path: Path, env) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    link = tmp_path / "link"
    link.symlink_to(story)
    require_consent(read_settings(link, env))
    other = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "other")
    link.unlink()
    link.symlink_to(other)
    with pytest.raises(NotTrusted):
        require_consent(read_settings(link, env))


def test_a_project_does_not_bring_its_own_consent(tmp_path: Path, env) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    for inside in ({"HOME": str(story)}, {"XDG_CONFIG_HOME": str(story / "x")}):
        with pytest.raises(NotTrusted):
            require_consent(read_settings(story, {**env, **inside}))
        with pytest.raises(Exception, match="outside the project"):
            ConsentBook.of({**env, **inside}).remember(story, ())


@pytest.mark.parametrize("loosened", ["file", "folder"])
def test_consent_that_others_could_have_written_does_not_count(loosened: str, tmp_path: Path, env) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    file = ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    (file if loosened == "file" else file.parent).chmod(0o777)
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))


@pytest.mark.parametrize("text", ["", "{", "[]", '{"project": 1}', "\0", '{"project": "x", "wishes": []}', "9" * 9])
def test_a_damaged_consent_is_none(text: str, tmp_path: Path, env) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    file = ConsentBook.of(env).remember(story, wishes_of(read_settings(story, env)))
    file.write_text(text, encoding="utf-8")
    with pytest.raises(NotTrusted):
        require_consent(read_settings(story, env))
    assert ConsentBook.of(env).all() == ()


async def test_a_program_that_uses_the_library_trusts_in_so_many_words(tmp_path: Path) -> None:
    story = HostileProject("", provider("openai", base_url=EVIL)).write(tmp_path / "story")
    with pytest.raises(NotTrusted):
        async with Studio.open(read_settings(story, {})):
            pass
    async with Studio.open(read_settings(story, {}), trust=True):
        pass
    async with Studio.open(read_settings(story, {}, trust=True)):
        pass
    async with Studio.open(read_settings(story, {"DRAMATURG_TRUST": "1"})):
        pass
    async with Studio.open(Settings(project=story)):  # written in code, by whoever wrote the program
        pass


def test_what_the_environment_sets_is_the_users_own(tmp_path: Path) -> None:
    given = {"DRAMATURG_STORE_URL": "postgresql://db.example/x", "DRAMATURG_MODEL": "claude-code"}
    assert wishes_of(read_settings(tmp_path, given)) == ()
    (tmp_path / "dramaturg.toml").write_text('[store]\nurl = "postgresql://evil.example/x"\n', encoding="utf-8")
    assert wishes_of(read_settings(tmp_path, given)) == ()  # overridden, and so never used


def test_a_question_cannot_be_disguised_on_a_terminal(tmp_path: Path, env) -> None:
    command = '[notebooks.rim]\nrole = "world"\ncommand = ["evil\\u001b[2K\\r\\u202Egood\\n"]\n'
    with pytest.raises(NotTrusted) as refused:
        require_consent(read_settings(HostileProject("", command).write(tmp_path / "story"), env))
    assert "evil\\x1b[2K\\r\\u202egood\\n" in refused.value.message


def test_a_data_folder_that_is_a_link_out_is_asked_for(tmp_path: Path, env) -> None:
    story = HostileProject("", "").write(tmp_path / "story")
    (tmp_path / "mail").mkdir()
    (story / "data").symlink_to(tmp_path / "mail")
    with pytest.raises(NotTrusted, match="mail"):
        require_consent(read_settings(story, env))


def test_every_known_provider_is_at_home_with_its_own_key() -> None:
    for row in KNOWN.values():
        if row.base_url:
            assert any(set(row.key_env) <= keys for keys in _homes().values()), row.name
    assert _homes()[f"{elevenlabs_voice.HOME}:443"] == {elevenlabs_voice.KEY_ENV} == {ELEVENLABS_KEY}


@pytest.mark.parametrize("example", sorted(path.parent.name for path in ROOT.glob("examples/*/dramaturg.toml")))
def test_the_examples_ask_for_nothing(example: str) -> None:
    assert wishes_of(read_settings(ROOT / "examples" / example, {})) == ()


def test_a_settings_file_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret.toml").write_text('password = "hunter2"\n', encoding="utf-8")
    story = tmp_path / "story"
    story.mkdir()
    (story / "dramaturg.toml").symlink_to(tmp_path / "secret.toml")
    with pytest.raises(AuthorError, match="link out") as refused:
        read_settings(story, {})
    assert "hunter2" not in json.dumps(refused.value.context, default=str)
