"""Readers of manuscripts as writers have them: Markdown, plain text, DOCX, ODT, or a folder of these."""
