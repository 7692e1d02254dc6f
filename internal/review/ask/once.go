package ask

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/llm"
)

// Elements returns the elements of the list name in a model's answer. Text around the object is ignored, and elements
// that do not fit are left out. If the answer breaks off, the complete elements are returned. It returns an error if
// there are none.
func Elements[T any](text, name string) ([]T, error) {
	got, err := ReadPart[T](Answer{Text: text}, name)
	return got.Items, err
}

// Once makes one call outside a review, with the parameters of a route as a review has them. Errors: the context's, an
// [*llm.Error], or one for which [Unusable] is true. The response holds the usage also beside an error.
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
