package wire

import (
	"context"
	"errors"
	"io"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/outbound"
)

// transportError makes an error of an exchange that gave no whole answer. The
// texts are ours: those of net/http name addresses and may quote input.
func transportError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return llm.Ended(ctx)
	}
	e := &llm.Error{Class: llm.ClassRetryable, Cause: err}
	var timeout interface{ Timeout() bool }
	if refused, ok := errors.AsType[*outbound.RefusedError](err); ok {
		e.Class, e.ProviderMessage = llm.ClassFinal, "The address of the endpoint is not allowed: "+llm.SafeMessage(refused.Error())+"."
		return e
	}
	if redirect, ok := errors.AsType[*outbound.RedirectError](err); ok {
		e.Class, e.Status, e.ProviderMessage = llm.ClassFinal, redirect.Status, RedirectMessage
		return e
	}
	switch {
	case errors.Is(err, outbound.ErrTooLarge):
		e.Class, e.ProviderMessage = llm.ClassInvalidResponse, "The answer of the endpoint is larger than allowed."
	case errors.Is(err, outbound.ErrIdle), errors.As(err, &timeout) && timeout.Timeout():
		e.ProviderMessage = "The endpoint did not answer in time."
	case errors.Is(err, io.ErrUnexpectedEOF):
		e.ProviderMessage = "The answer of the endpoint broke off."
	default:
		e.ProviderMessage = "The endpoint could not be reached."
	}
	return e
}

// RedirectMessage is what an answer with a redirect means.
const RedirectMessage = "The endpoint answered with a redirect, which is not followed. Check the base URL."
