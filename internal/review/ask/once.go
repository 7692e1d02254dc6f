package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/llm"
)

// Elements returns the elements of the list name in a model's answer. It ignores text around the object,
// leaves out elements that do not fit, and returns the complete elements if the answer breaks off. If it
// finds no elements, it returns an error.
func Elements[T any](text, name string) ([]T, error) {
	got, err := ReadPart[T](Answer{Text: text}, name)
	return got.Items, err
}

// Once makes one call outside a review, with the parameters that a review would use on the route. Errors:
// the context's, an [*llm.Error], or one for which [Unusable] is true. The response holds the usage also
// beside an error.
func Once(ctx context.Context, r Route, stage, system string, g Guard, user string, schema json.RawMessage) (llm.Response, error) {
	if r.MaxOutputTokens == 0 {
		r.MaxOutputTokens = maxOutput(r.Effort)
	}
	messages := []llm.Message{{Role: llm.User, Text: user}}
	r.MaxOutputTokens = r.answer(Size(system, schema, messages))
	resp, err := r.Client.Complete(ctx, request(r, "outside", Question{Stage: stage, System: system, Messages: messages, Schema: schema}))
	switch {
	case err != nil:
		return resp, err
	case g.Leaked(resp.Text):
		return resp, ErrCanary
	case resp.StopReason == llm.StopRefused || resp.StopReason == llm.StopFiltered:
		return resp, fmt.Errorf("%w: stopped by the model or its provider (%s)", ErrAnswer, resp.StopReason)
	}
	return resp, nil
}

// Unusable reports whether an error concerns one call only: its answer cannot be used, or the same call would fail
// again while others may succeed.
func Unusable(err error) bool {
	return errors.Is(err, ErrCanary) || errors.Is(err, ErrAnswer) || tooLong(err) || IsFinal(err)
}
