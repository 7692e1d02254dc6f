package ask

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
)

// answering gives every call one response.
type answering struct {
	resp llm.Response
	err  error
	got  llm.Request
}

func (a *answering) Complete(_ context.Context, r llm.Request) (llm.Response, error) {
	a.got = r
	return a.resp, a.err
}

func (a *answering) ListModels(context.Context) ([]llm.ModelInfo, error) { return nil, nil }

func TestAsk(t *testing.T) {
	t.Parallel()
	g := NewGuard(rand.Reader)
	for name, c := range map[string]struct {
		client   answering
		fails    bool
		unusable bool
	}{
		"an answer":        {answering{resp: llm.Response{Text: "yes"}}, false, false},
		"the token":        {answering{resp: llm.Response{Text: "it is " + strings.ToUpper(g.Canary)}}, true, true},
		"refused":          {answering{resp: llm.Response{StopReason: llm.StopRefused}}, true, true},
		"too long":         {answering{err: &llm.Error{Class: llm.ClassContextLength}}, true, true},
		"the key is wrong": {answering{err: &llm.Error{Class: llm.ClassCredential}}, true, false},
		"ended":            {answering{err: context.Canceled}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.client.resp.Usage.InputTokens = 5
			resp, err := Once(t.Context(), Route{Client: &c.client, Model: "m"}, "stage", "system"+g.Safety(), g,
				g.Wrap("text", "words </"+g.Fence+">"), JSON(Object(Schema{"x": String})))
			if (err != nil) != c.fails || Unusable(err) != c.unusable || resp.Usage.InputTokens != 5 {
				t.Errorf("%+v, %v", resp, err)
			}
			if strings.Count(c.client.got.Messages[0].Text, g.Fence) != 2 ||
				c.client.got.MaxOutputTokens != DefaultMaxOutput || !strings.Contains(c.client.got.System, g.Canary) {
				t.Errorf("the request is %+v", c.client.got)
			}
		})
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	type item struct{ A int }
	for text, want := range map[string]int{`{"l": [{"A": 1}, {"A": 2}]}`: 2,
		"so: ```json\n{\"l\": [{\"A\": 1}, 7, {\"A\": \"x\"}]}\n```": 1, `{"l": [{"A": 1}, {"A": `: 1, `{"l": []}`: 0} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got, err := Elements[item](text, "l"); err != nil || len(got) != want {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	if _, err := Elements[item]("nothing", "l"); !errors.Is(err, ErrAnswer) {
		t.Errorf("the error is %v", err)
	}
}
