package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/assay-dev/assay/internal/llm"
)

// Guard fences untrusted text in prompts that are not of a review, in the way of
// those that are. A value serves any number of calls.
type Guard struct{ g guard }

// NewGuard makes a guard with a random fence and token.
func NewGuard() Guard { return Guard{newGuard(rand.Reader)} }

// Wrap puts untrusted text between the delimiters, which it cannot contain.
func (g Guard) Wrap(label, text string) string { return g.g.wrap(label, text) }

// Safety is the paragraph of the system text that says what is data.
func (g Guard) Safety() string { return "\n" + g.g.safety() }

// Leaked reports whether an answer repeats the token, so that nothing in it counts.
func (g Guard) Leaked(answer string) bool { return g.g.leaked(answer) }

// Object is a JSON Schema of an object whose properties are all required and are
// those named, in the subset that strict structured outputs take.
func Object(properties map[string]any) map[string]any { return obj(properties) }

// List returns the elements of the list "<name>" in a model's answer: text around the
// object is ignored, elements that do not fit are left out, and of an answer that
// breaks off the complete ones are taken. There is an error where none is left.
func List[T any](text, name string) ([]T, error) {
	got, err := readPart[T](answer{text: text}, name)
	return got.items, err
}

// Ask makes one call outside a review, with the parameters of a route as a review
// has them: system text and message ask for an answer by the schema. Errors: the
// context's, an [*llm.Error], or that the answer cannot be used, of which
// [Unusable] tells. The response holds the usage also beside an error.
func Ask(ctx context.Context, r Route, stage, system string, g Guard, user string, schema json.RawMessage) (llm.Response, error) {
	if r.MaxOutputTokens == 0 {
		r.MaxOutputTokens = maxOutput(r.Effort)
	}
	messages := []llm.Message{{Role: llm.User, Text: user}}
	r.MaxOutputTokens = r.answer(size(system, schema, messages))
	resp, err := r.Client.Complete(ctx, request(r, "outside", prompted{stage: stage, system: system, messages: messages, schema: schema}))
	switch {
	case err != nil:
		return resp, err
	case g.Leaked(resp.Text):
		return resp, errCanary
	case resp.StopReason == llm.StopRefused || resp.StopReason == llm.StopFiltered:
		return resp, fmt.Errorf("%w: stopped by the model or its provider (%s)", errAnswer, resp.StopReason)
	}
	return resp, nil
}

// Unusable reports whether an error concerns one call alone: its answer cannot be
// used, or the same call would fail again while others may succeed.
func Unusable(err error) bool {
	return errors.Is(err, errCanary) || errors.Is(err, errAnswer) || tooLong(err) || finalOfCall(err)
}
