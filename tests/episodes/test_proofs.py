"""A model calls an objective met; what the player said decides whether it may be."""

from __future__ import annotations

import pytest

from dramaturg.episodes.director import PlayerExchange
from dramaturg.episodes.extraction import Extraction, ObjectiveClaim, check_extraction
from dramaturg.episodes.proofs import why_no_proof
from dramaturg.episodes.template import template_from
from tests.episodes.staging import FLIRT

PROOFS = (
    ("the player agrees to sign the contract", "Fine. Give me the pen."),
    ("the player agrees to sign the contract", "I'll sign it."),
    ("the player agrees to sign the contract", "Don't worry, I'll sign."),
    ("the player agrees to sign the contract", "You have a deal."),
    ("the player agrees to sign the contract", "I didn't want to, but I will sign."),
    ("the player agrees to sign the contract", "Why not, hand it over."),
    ("the player agrees to sign the contract", "I can't say no to you."),
    ("the player agrees to sign the contract", "No problem."),
    ("the player agrees to sign the contract", "Good."),
    ("the player promises to keep the secret", "I won't tell anyone."),
    ("the player promises to keep the secret", "Nobody will hear it from me."),
    ("the player promises to keep the secret", "My lips are sealed."),
    ("the player agrees to stay until Friday", "I'm not going anywhere."),
    ("the player apologises", "I was wrong."),
    ("the player apologises", "I should not have shouted at you."),
    ("the player refuses to sign", "No."),
    ("the player refuses to sign", "I will never sign that."),
    ("the player does not give in", "Never."),
    ("the player greets Mina politely", "Good evening, Mina."),
    ("the player admits the theft", "I didn't buy it, I stole it."),
    ("the player admits the theft", "I could not resist the gold."),
    ("el jugador acepta firmar el contrato", "Trae la pluma."),
    ("el jugador acepta firmar el contrato", "Está bien, firmo."),
    ("el jugador acepta firmar el contrato", "No tengo miedo, firmaré."),
    ("el jugador acepta firmar el contrato", "Trato hecho."),
    ("el jugador acepta firmar el contrato", "No hay problema."),
    ("der Spieler willigt ein zu unterschreiben", "Gib mir den Stift."),
    ("der Spieler willigt ein zu unterschreiben", "Ich will nicht mehr warten, her mit dem Stift."),
    ("der Spieler weigert sich", "Nein, das mache ich nicht."),
    ("le joueur accepte de signer", "D'accord, je signe."),
    ("le joueur accepte de signer", "Donnez-moi la plume."),
    ("o jogador aceita assinar", "Pode ser, eu assino."),
    ("il giocatore accetta di firmare", "Va bene, firmo."),
    ("игрок соглашается подписать", "Хорошо, я подпишу."),
)
NO_PROOFS = (
    ("el jugador acepta firmar el contrato", "No pienso firmar nada."),
    ("el jugador acepta firmar el contrato", "Hola."),
    ("el jugador acepta firmar el contrato", "Nunca."),
    ("el jugador acepta firmar el contrato", "Jamás firmaré eso, Mina."),
    ("el jugador acepta firmar el contrato", "Buenas noches, Mina."),
    ("el jugador acepta firmar el contrato", "No quiero."),
    ("the player agrees to sign the contract", "Hello."),
    ("the player agrees to sign the contract", "I won't sign."),
    ("the player agrees to sign the contract", "I will not do it."),
    ("the player agrees to sign the contract", "Never."),
    ("the player agrees to sign the contract", "I won't sign, that's final."),
    ("the player agrees to sign the contract", "Good evening, Mina."),
    ("the player agrees to sign the contract", "I refuse to sign this."),
    ("the player agrees to sign the contract", "No way."),
    ("the player agrees to sign the contract", "I sign nothing."),
    ("the player agrees to sign the contract", "Not today."),
    ("the player promises to keep the secret", "I won't promise anything."),
    ("the player promises to keep the secret", "I never keep secrets."),
    ("the player agrees to stay until Friday", "No. I won't stay until Friday."),
    ("the player apologises", "I'm not sorry."),
    ("the player admits the theft", "I admit nothing."),
    ("der Spieler willigt ein zu unterschreiben", "Ich unterschreibe nichts."),
    ("der Spieler willigt ein zu unterschreiben", "Guten Abend."),
    ("der Spieler willigt ein zu unterschreiben", "Auf keinen Fall."),
    ("le joueur accepte de signer", "Je ne signerai jamais."),
    ("le joueur accepte de signer", "Bonjour."),
    ("o jogador aceita assinar", "Eu não assino carta nenhuma."),
    ("o jogador aceita assinar", "Olá."),
    ("il giocatore accetta di firmare", "Non firmo niente."),
    ("il giocatore accetta di firmare", "Ciao, Mina."),
    ("игрок соглашается подписать", "Я ничего не подпишу."),
    ("игрок соглашается подписать", "Привет."),
)


@pytest.mark.parametrize(("objective", "said"), PROOFS)
def test_words_of_the_players_own_may_prove_an_objective(objective: str, said: str) -> None:
    assert why_no_proof(said, said, objective) == ""


@pytest.mark.parametrize(("objective", "said"), NO_PROOFS)
def test_a_no_and_a_greeting_prove_nothing(objective: str, said: str) -> None:
    assert why_no_proof(said, said, objective)


@pytest.mark.parametrize(
    ("said", "quote", "met"),
    [
        ("No pienso firmar nada.", "firmar nada", False),
        ("Hola.", "Hola.", False),
        ("Hola. Está bien, firmo.", "firmo", True),
    ],
)
def test_a_quote_is_read_with_its_sentence_whatever_a_model_says(said: str, quote: str, met: bool) -> None:
    template = template_from(
        {
            **FLIRT,
            "completion_mode": "objective",
            "turn_budget": 8,
            "completion_criteria": {
                "objective_key": "signed",
                "met_when": "el jugador acepta firmar el contrato",
                "detection": "model",
            },
        }
    )
    claims = Extraction(objective=ObjectiveClaim(met=True, confidence=0.95, quote=quote))
    findings, refused = check_extraction(claims, PlayerExchange("m1", said, "Hm."), template)
    assert bool(findings.flags) is met
    assert [one.what for one in refused] == ([] if met else ["objective"])
