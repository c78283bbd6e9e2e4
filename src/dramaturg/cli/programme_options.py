"""The options of `programme`: what is spoken, what is heard beneath it, how it is written, and what a feed says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dramaturg.cli.option_group import OptionGroup
from dramaturg.kernel.errors import InvalidConfig
from dramaturg.voices.feed import Show
from dramaturg.voices.listen import ListenRequest, chosen_backdrop
from dramaturg.voices.programme import Backdrop


@OptionGroup
def spoken_parts(
    question: Annotated[
        bool, typer.Option(help="Have the question of a session, or the opening of a scene, spoken first.")
    ] = True,
    question_voice: Annotated[
        str | None, typer.Option(help="The voice of the question.", show_default="one that nobody else has")
    ] = None,
    narrator: Annotated[bool, typer.Option(help="Have a narrator tell what happens in a scene.")] = True,
) -> ListenRequest:
    """What is spoken."""
    return ListenRequest(question=question, question_voice=question_voice, narrator=narrator)


@OptionGroup
def heard_beneath(
    music: Annotated[
        Path | None, typer.Option(help="A sound file that is heard beneath, softer while somebody speaks.")
    ] = None,
    music_db: Annotated[float, typer.Option(min=-40, max=0, help="The level of the music, below the lines.")] = -12.0,
    duck_db: Annotated[float, typer.Option(min=-60, max=0, help="The same while somebody speaks.")] = -24.0,
    room_tone: Annotated[bool, typer.Option(help="Lay the faint sound of a room beneath everything.")] = True,
) -> Backdrop | None:
    """What is heard beneath the lines. Raises InvalidConfig for music that is not there."""
    if music is not None and duck_db > music_db:
        raise InvalidConfig("--duck-db must not be above --music-db: music gives way to whoever speaks.")
    return chosen_backdrop(music, music_db=music_db, duck_db=duck_db, room_tone=room_tone)


@OptionGroup
def the_show(
    title: Annotated[str, typer.Option(help="The name of the show.", show_default="the folder's name")] = "",
    description: Annotated[str, typer.Option(help="What the show is about.")] = "",
    author: Annotated[str, typer.Option(help="Who makes it.", show_default="the title")] = "",
    email: Annotated[str, typer.Option(help="Where directories write to; it is public.")] = "",
    language: Annotated[str, typer.Option(help="The language of the show, such as en or de-AT.")] = "en",
    category: Annotated[str, typer.Option(help="A category of Apple Podcasts.")] = "Fiction",
    image: Annotated[str, typer.Option(help="A picture in the folder, JPEG or PNG, 1400 to 3000 pixels a side.")] = "",
    explicit: Annotated[bool, typer.Option("--explicit", help="Mark the show as explicit.")] = False,
) -> Show:
    """What a feed says about its show; the address comes later."""
    return Show(
        url="",
        title=title,
        description=description,
        author=author,
        email=email,
        language=language,
        category=category,
        image=image,
        explicit=explicit,
    )
