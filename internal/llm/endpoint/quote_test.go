package endpoint_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/endpoint"
)

// answering gives the same answer to every call.
type answering struct {
	out llm.Response
	err error
}

func (a answering) Complete(context.Context, llm.Request) (llm.Response, error) { return a.out, a.err }

func (a answering) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func once(ctx context.Context, inner llm.Client, req llm.Request) (llm.Response, error) {
	return endpoint.New(endpoint.Options{Rand: longest}).For("k").Wrap(inner, time.Time{}, endpoint.Hooks{}).Complete(ctx, req)
}

func TestErrorsDoNotQuoteTheConversation(t *testing.T) {
	t.Parallel()
	code := "func pay(card string) error {\n\tif card == \"\" {\n\t\treturn errNoCard\n\t}\n\treturn bank.Charge(card)\n}\n"
	req := llm.Request{Model: "some-rather-long-model-name-4-5", System: "You review changes of code with great care.", Messages: []llm.Message{{Role: llm.User, Text: "The change:\n" + code + "größer als fünfundzwanzig Zeichen"}}}
	for name, c := range map[string]struct{ in, want string }{
		"nothing quoted":     {"Unsupported value: 'high' is not supported with the 'some-rather-long-model-name-4-5' model.", ""},
		"a field":            {"body.change: Extra inputs are not permitted", ""},
		"Python":             {`[{'type': 'extra_forbidden', 'loc': ('body', 'x'), 'msg': 'Extra inputs are not permitted', 'input': 'func pay(card string) error {\n\tif card == "" {\n\t\treturn errNoCard\n\t}'}]`, `[{'type': 'extra_forbidden', 'loc': ('body', 'x'), 'msg': 'Extra inputs are not permitted', 'input': '[…]\n\t}'}]`},
		"JSON":               {`refused: \"if card == \\\"\\\" {\\n\\t\\treturn errNoCard\\n\\t}\\n\\treturn bank.Charge(card)\" at 3`, ""},
		"one line":           {"bad: func pay(card string) error { if card", "bad: […]"},
		"words beyond ASCII": {"nein: größer als fünfundzwanzig Zeichen!", "nein: […]!"},
		"empty":              {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := once(t.Context(), answering{err: &llm.Error{Class: llm.ClassFinal, Status: 400, ProviderMessage: c.in}}, req)
			e, ok := errors.AsType[*llm.Error](err)
			if !ok || e.Class != llm.ClassFinal || e.Status != 400 || strings.Contains(e.ProviderMessage, "errNoCard") {
				t.Fatalf("%v", err)
			}
			if want := c.want; name != "JSON" && e.ProviderMessage != map[bool]string{true: c.in, false: want}[want == ""] {
				t.Errorf("got  %s\nwant %s", e.ProviderMessage, want)
			}
		})
	}
}

func FuzzUnquoted(f *testing.F) {
	f.Add("bad: \\func pay(card string) error {", "func pay(card string) error {")
	f.Add("\\", "größer als fünfundzwanzig Zeichen")
	f.Fuzz(func(t *testing.T, message, text string) {
		_, err := once(t.Context(), answering{err: &llm.Error{Class: llm.ClassFinal, ProviderMessage: message}}, llm.Request{Model: "m", Messages: []llm.Message{{Text: text}}})
		if e, ok := errors.AsType[*llm.Error](err); !ok || utf8.ValidString(message) && !utf8.ValidString(e.ProviderMessage) {
			t.Errorf("%v", err)
		}
	})
}

// TestWhatFailedTriesCountIsNotLost: the provider charges for failed attempts too.
func TestWhatFailedTriesCountIsNotLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			failures int
			last     error
		}{{2, nil}, {1, &llm.Error{Class: llm.ClassContextLength}}, {100, down()}} {
			n := 0
			inner := counting{func() (llm.Response, error) {
				n++
				out := llm.Response{Model: "m-1", Usage: llm.Usage{InputTokens: 10, OutputTokens: 1}}
				if n <= c.failures {
					return out, down()
				}
				return out, c.last
			}}
			out, err := once(t.Context(), inner, request)
			if (err == nil) != (c.last == nil) || n < 2 || out.Model != "m-1" || out.Usage.InputTokens != int64(10*n) || out.Usage.OutputTokens != int64(n) {
				t.Errorf("%+v, %v after %d tries", out, err, n)
			}
		}
	})
}

type counting struct {
	next func() (llm.Response, error)
}

func (c counting) Complete(context.Context, llm.Request) (llm.Response, error) { return c.next() }

func (c counting) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

// TestALateAnswerIsDropped: it is also counted.
func TestALateAnswerIsDropped(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the run was published without it")
	out, err := once(ctx, counting{func() (llm.Response, error) {
		cancel(cause)
		return llm.Response{Text: "late", Usage: llm.Usage{InputTokens: 10}}, nil
	}}, request)
	if !errors.Is(err, cause) || !errors.Is(err, context.Canceled) || out.Text != "" || out.Usage.InputTokens != 10 {
		t.Errorf("%+v, %v", out, err)
	}
}
