"""What a project asks of the machine it is opened on, and whether its user allowed it."""

from dramaturg.trust.consent import Consent, ConsentBook
from dramaturg.trust.guard import check_authored_model, missing_consent, refusal, require_consent
from dramaturg.trust.made_keys import MadeKeys
from dramaturg.trust.project_folder import check_project
from dramaturg.trust.wishes import Wish, model_wish, wishes_of

__all__ = [
    "Consent",
    "ConsentBook",
    "MadeKeys",
    "Wish",
    "check_authored_model",
    "check_project",
    "missing_consent",
    "model_wish",
    "refusal",
    "require_consent",
    "wishes_of",
]
