"""Prompts: templates that are files, layers within a budget, and a receipt for everything that is sent."""

from dramaturg.kernel.prompts.assemble import assemble
from dramaturg.kernel.prompts.layers import Layer, LayerReceipt, Prompt, Receipt
from dramaturg.kernel.prompts.template import Template, load_template

__all__ = ["Layer", "LayerReceipt", "Prompt", "Receipt", "Template", "assemble", "load_template"]
