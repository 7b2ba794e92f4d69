"""Write models for CTranslate2 and HuggingFace, and results as an RO-Crate."""
