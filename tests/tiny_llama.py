"""A random Llama of 0.4 M parameters with a tokenizer trained on the spot: it says anything, in any schema."""

from pathlib import Path

TEXT = " Yes No Sum Right is the sum right Answer level reason and of a to in 0 1 2 3 4 5 6 7 8 9 + ="
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}assistant:"


def make_model(folder: Path) -> None:
    """Write model, tokenizer and chat template to the folder, in 0.1 s."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    raw = Tokenizer(models.BPE())
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    raw.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=600, initial_alphabet=alphabet, special_tokens=["<s>", "</s>"])
    raw.train_from_iterator([TEXT] * 50, trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, bos_token="<s>", eos_token="</s>")
    tokenizer.chat_template = TEMPLATE
    tokenizer.save_pretrained(folder)
    size = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = LlamaConfig(vocab_size=len(tokenizer), max_position_embeddings=1024, num_key_value_heads=2, **size)
    LlamaForCausalLM(config).save_pretrained(folder)
