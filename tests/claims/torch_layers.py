"""torch.nn's own layers, filled with the weights of one of our models."""

import torch
from models import all_true, disturbed, spec
from torch import nn


def assert_equal_outputs_and_gradients(method, *, norm_first):
    ours = disturbed(spec(method=method))
    theirs = theirs_of(ours, norm_first)
    source, target = torch.randn(2, 5, 8).double(), torch.randn(2, 4, 8).double()
    runs = {}
    for name, run in {"ours": run_ours(ours), "theirs": run_theirs(theirs)}.items():
        x, y = source.clone().requires_grad_(), target.clone().requires_grad_()
        output = run(x, y)
        output.square().sum().backward()
        runs[name] = [output, x.grad, y.grad]
    for mine, reference in zip(runs["ours"], runs["theirs"], strict=True):
        torch.testing.assert_close(mine, reference, rtol=1e-10, atol=1e-10)
    own = ours.decoder.layers[0].self_attention.f.query_key_value.weight.grad
    torch.testing.assert_close(own, theirs[1].layers[0].self_attn.in_proj_weight.grad)


def run_ours(model):
    def run(source, target):
        mask = all_true(source)
        layers = [source]
        for layer in model.encoder.layers:
            layers.append(layer(layers[-1], mask))
        (memory, *_) = model.encoder_output(layers, model.encoder.final)
        for layer in model.decoder.layers:
            target = layer(target, memory, mask)
        return model.decoder.final(target)

    return run


def run_theirs(stacks):
    encoder, decoder = stacks

    def run(source, target):
        causal = nn.Transformer.generate_square_subsequent_mask(target.size(1)).double()
        return decoder(target, encoder(source), tgt_mask=causal, tgt_is_causal=True)

    return run


def theirs_of(model, norm_first):
    options = {
        "dropout": 0.0,
        "batch_first": True,
        "norm_first": norm_first,
        "dtype": torch.float64,
    }
    finals = [nn.LayerNorm(8).double() if norm_first else None for _ in range(2)]
    encoder = nn.TransformerEncoder(
        nn.TransformerEncoderLayer(8, 2, 32, **options), 2, finals[0], enable_nested_tensor=False
    )
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(8, 2, 32, **options), 2, finals[1])
    for theirs, ours in zip(encoder.layers, model.encoder.layers, strict=True):
        fill_self(theirs.self_attn, ours.attention.f)
        fill_feed_forward(theirs, ours)
        fill_norms(theirs, [ours.attention, ours.feed_forward], norm_first)
    for theirs, ours in zip(decoder.layers, model.decoder.layers, strict=True):
        fill_self(theirs.self_attn, ours.self_attention.f)
        fill_cross(theirs.multihead_attn, ours.cross.f)
        fill_feed_forward(theirs, ours)
        fill_norms(theirs, [ours.self_attention, ours.cross, ours.feed_forward], norm_first)
    if norm_first:
        encoder.norm.load_state_dict(model.encoder.final.state_dict())
        decoder.norm.load_state_dict(model.decoder.final.state_dict())
    return encoder, decoder


def fill_self(theirs, ours):
    theirs.in_proj_weight.data = ours.query_key_value.weight.data.clone()
    theirs.in_proj_bias.data = ours.query_key_value.bias.data.clone()
    theirs.out_proj.load_state_dict(ours.out.state_dict())


def fill_cross(theirs, ours):
    theirs.in_proj_weight.data = torch.cat([ours.query.weight, ours.key_value.weight]).data.clone()
    theirs.in_proj_bias.data = torch.cat([ours.query.bias, ours.key_value.bias]).data.clone()
    theirs.out_proj.load_state_dict(ours.out.state_dict())


def fill_feed_forward(theirs, ours):
    theirs.linear1.load_state_dict(ours.feed_forward.f.inner.state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward.f.outer.state_dict())


def fill_norms(theirs, sublayers, norm_first):
    for number, sublayer in enumerate(sublayers, start=1):
        norm = sublayer.before if norm_first else sublayer.after
        getattr(theirs, f"norm{number}").load_state_dict(norm.state_dict())
