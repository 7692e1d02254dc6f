package ask_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/ask/asktest"
	"github.com/assay-dev/assay/internal/review/enginetest"
)

// conversing is a conversation of six calls with a model.
func conversing(t *testing.T, m *enginetest.Turns, d ask.Desk, rec ask.Recorder) (*ask.Session, ask.Talk) {
	t.Helper()
	s := ask.New(ask.Deps{Recorder: rec}, nil)
	s.AllowConversations(4)
	s.SetScrub(func(text string) string { return strings.ReplaceAll(text, "hunter2", "[secret]") })
	return s, ask.Talk{Desk: d, Bounds: &ask.Allowance{Calls: 6, Tokens: 6_000}, Question: ask.Question{Stage: "verify",
		Route:  ask.Route{Client: m, Model: "m", Tier: ask.TierStrong, MaxOutputTokens: 1000, Window: enginetest.LargeWindow},
		System: "stage: verify\n", Messages: []llm.Message{{Role: llm.User, Text: "Is it so?"}},
		Schema: ask.JSON(ask.Object(ask.Schema{"verdicts": ask.Array(ask.String)}))}}
}

func TestConversation(t *testing.T) {
	t.Parallel()
	d, rec := &asktest.Desk{}, &asktest.Recorder{}
	m := &enginetest.Turns{Answer: func(n int, _ llm.Request) (llm.Response, error) {
		switch n {
		case 0:
			r, err := enginetest.Calling(enginetest.ReadOf("a", "a.go"), enginetest.ReadOf("b", "hunter2.go"))
			r.Text, r.Kept = "I look.", []byte(`{"codec":"x"}`)
			return r, err
		case 1:
			return enginetest.Calling(enginetest.ReadOf("c", "c.go"))
		}
		return enginetest.Reply("done"), nil
	}}
	s, what := conversing(t, m, d, rec)
	out, err := s.Converse(t.Context(), what)
	if err != nil || out.Text != "done" || len(out.Seen) != 3 || !out.HadTools() || len(m.Requests) != 3 {
		t.Fatalf("%+v, %v", out, err)
	}
	second := m.Requests[1].Messages
	if len(second) != 4 || second[1].Role != llm.Assistant || second[1].Text != "I look." || string(second[1].Kept) != `{"codec":"x"}` ||
		len(second[1].ToolCalls) != 2 ||
		second[2].ToolCallID != "a" || second[3].ToolCallID != "b" || !strings.HasPrefix(second[2].Text, "<"+s.Guard.Fence) {
		t.Errorf("second turn %+v", second)
	}
	for i, r := range m.Requests {
		if len(r.Tools) != 1 || r.Schema == nil || r.CacheKey != m.Requests[0].CacheKey {
			t.Errorf("request %d: %+v", i, r)
		}
	}
	if got := enginetest.SaidTo(llm.Request{Messages: out.Messages}); strings.Count(got, "result ") != 3 || len(out.Messages) != 1 || out.Tools() != nil {
		t.Errorf("a repair continues from %q", got)
	}
	calls, _ := s.Totals()
	if rec.Calls != 3 || len(rec.Uses) != 3 || calls != 3 ||
		rec.Uses[0] != (ask.ToolUse{Stage: "verify", Tool: "read_file", Arguments: `{"path": "a.go"}`, Outcome: ask.ToolOK, Hits: 1,
			Bytes: rec.Uses[0].Bytes, Duration: rec.Uses[0].Duration}) {
		t.Errorf("recorded %+v", rec.Uses)
	}
	if strings.Contains(fmt.Sprint(rec.Uses), "hunter2") {
		t.Error("a secret is in the record")
	}
}

// Each mistake that a model can make ends in an answer without tools, within the bounds.
func TestConversationsEnd(t *testing.T) {
	t.Parallel()
	sequel := func(n int) llm.ToolCall { return enginetest.ReadOf(fmt.Sprint("id", n), fmt.Sprint("f", n, ".go")) }
	for name, c := range map[string]struct {
		calls func(n int) []llm.ToolCall
		ran   int    // calls that were answered with something
		turns int    // requests, the last one without tools
		says  string // text that some result contains
	}{
		"for ever":          {func(n int) []llm.ToolCall { return []llm.ToolCall{sequel(n)} }, 6, 7, "result 6"},
		"the same for ever": {func(int) []llm.ToolCall { return []llm.ToolCall{enginetest.ReadOf("x", "a.go")} }, 1, 3, "result 1"},
		"the same, spaced": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{{ID: "x", Name: "read_file", Arguments: `{` + strings.Repeat(" ", n) + `"path":"a.go"}`}}
		}, 1, 3, "result 1"},
		"the same beside another": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{enginetest.ReadOf("x", "a.go"), sequel(n)}
		}, 4, 4, "You have this already"},
		"an unknown tool": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{{ID: "x", Name: "shell", Arguments: `{"n":` + fmt.Sprint(n) + `}`}}
		}, 0, 7, "There is no tool of that name"},
		"no JSON": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{{ID: "x", Name: "read_file", Arguments: fmt.Sprint("path ", n)}}
		}, 0, 7, "no JSON object"},
		"without ids": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{enginetest.ReadOf("", fmt.Sprint(n)), enginetest.ReadOf("", fmt.Sprint(n, "b"))}
		}, 6, 4, "result 6"},
		"with the same id": {func(n int) []llm.ToolCall {
			return []llm.ToolCall{enginetest.ReadOf("x", fmt.Sprint(n)), enginetest.ReadOf("x", fmt.Sprint(n, "b"))}
		}, 6, 4, "result 6"},
		"fifty in one answer": {func(int) (out []llm.ToolCall) {
			for i := range 50 {
				out = append(out, sequel(i))
			}
			return out
		}, 6, 2, "result 6"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, rec := &asktest.Desk{}, &asktest.Recorder{}
			made := 0 // calls
			m := &enginetest.Turns{Answer: func(n int, r llm.Request) (llm.Response, error) {
				if len(r.Tools) == 0 {
					return enginetest.Reply("at last"), nil
				}
				list := c.calls(n)
				made += min(len(list), ask.MaxParallel)
				return enginetest.Calling(list...)
			}}
			s, what := conversing(t, m, d, rec)
			out, err := s.Converse(t.Context(), what)
			if err != nil || out.Text != "at last" || len(d.Ran) != c.ran || len(m.Requests) != c.turns {
				t.Fatalf("%q, %v after %d requests with %d results", out.Text, err, len(m.Requests), len(d.Ran))
			}
			all := ""
			for _, r := range m.Requests {
				all += enginetest.SaidTo(r)
				for i, msg := range r.Messages { // each call has its result, with an id of its own
					if ids := map[string]bool{}; len(msg.ToolCalls) > 0 {
						for j, call := range msg.ToolCalls {
							if ids[call.ID] || call.ID == "" || r.Messages[i+1+j].ToolCallID != call.ID {
								t.Errorf("call %q: result of %q", call.ID, r.Messages[i+1+j].ToolCallID)
							}
							ids[call.ID] = true
						}
					}
				}
			}
			if len(rec.Uses) != made {
				t.Errorf("%d calls are recorded, of %d", len(rec.Uses), made)
			}
			last := m.Requests[len(m.Requests)-1]
			if !strings.Contains(all, c.says) ||
				len(last.Messages) != 1 || last.Messages[0].ToolCalls != nil || !strings.Contains(enginetest.SaidTo(last), "Answer now") {
				t.Errorf("nothing says %q, or the last request is %q", c.says, enginetest.SaidTo(last))
			}
			if strings.Count(enginetest.SaidTo(last), "result ") < c.ran {
				t.Errorf("the last request lacks results: %q", enginetest.SaidTo(last))
			}
		})
	}
}

// A model that takes no tools is asked without them, with what goes beside it then,
// and nothing on its route is asked with them again.
func TestModelsWithoutTools(t *testing.T) {
	t.Parallel()
	refusal := func(class llm.Class) error { return &llm.Error{Class: class, Status: 400, ProviderMessage: "no tools"} }
	for name, c := range map[string]struct {
		refuses  error // requests with tools
		fails    error // those without
		requests []int // after the first and the second conversation
		tools    bool  // the second conversation tries again
	}{
		"refuses tools":            {refusal(llm.ClassTools), nil, []int{2, 3}, false},
		"refuses without a reason": {refusal(llm.ClassFinal), nil, []int{2, 3}, false},
		"refuses everything":       {refusal(llm.ClassFinal), refusal(llm.ClassFinal), []int{2, 4}, true},
		"refuses tools, is down":   {refusal(llm.ClassTools), enginetest.Down(), []int{2, 3}, false},
		"is down":                  {enginetest.Down(), nil, []int{1, 2}, true},
		"the text is too long":     {enginetest.Overflow(), nil, []int{1, 2}, true},
		"has no credit":            {&llm.Error{Class: llm.ClassQuota, Status: 429}, nil, []int{1, 2}, true},
		"answers with no content":  {&llm.Error{Class: llm.ClassInvalidResponse}, nil, []int{1, 2}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := &enginetest.Turns{Answer: func(_ int, r llm.Request) (llm.Response, error) {
				if len(r.Tools) > 0 {
					return llm.Response{}, c.refuses
				}
				return enginetest.Reply("without"), c.fails
			}}
			s, what := conversing(t, m, &asktest.Desk{}, nil)
			what.Without = func(_ context.Context, p *ask.Question) {
				p.Messages = []llm.Message{{Role: llm.User, Text: "Is it so? Beside it: func helper"}}
			}
			for i, want := range c.requests {
				out, err := s.Converse(t.Context(), what)
				if len(m.Requests) != want || (err == nil) != (len(m.Requests[len(m.Requests)-1].Tools) == 0 && c.fails == nil) {
					t.Fatalf("conversation %d: %v after %d requests, want %d", i, err, len(m.Requests), want)
				}
				if err == nil && (out.Text != "without" || out.HadTools() || !strings.Contains(enginetest.SaidTo(m.Requests[len(m.Requests)-1]), "func helper")) {
					t.Errorf("%+v", out)
				}
			}
			if got := slices.ContainsFunc(m.Requests[c.requests[0]:], func(r llm.Request) bool { return len(r.Tools) > 0 }); got != c.tools {
				t.Errorf("tools are offered again: %v", got)
			}
		})
	}
}

// A conversation that is refused in a later turn ends with what it has.
func TestConversationsThatBreak(t *testing.T) {
	t.Parallel()
	signature := &llm.Error{Class: llm.ClassFinal, Status: 400, ProviderMessage: "Function call is missing a thought_signature"}
	for name, c := range map[string]struct {
		fail  func(n int, r llm.Request) error
		most  int
		want  error // nil: "at last", or a class
		turns int
		has   string // in the last request
	}{
		"its own calls are refused": {func(n int, _ llm.Request) error {
			if n == 1 {
				return signature
			}
			return nil
		}, 0, nil, 3, "result 1"},
		"the budget ends": {nil, 2, ask.ErrBudget, 2, ""},
		"the window is full, once": {func(n int, _ llm.Request) error {
			if n == 2 {
				return enginetest.Overflow()
			}
			return nil
		}, 0, nil, 0, ask.SayLeftOut},
		"the window is full for good": {func(n int, _ llm.Request) error {
			if n > 0 {
				return enginetest.Overflow()
			}
			return nil
		}, 0, ask.ErrTooLong, 3, ""},
		"the service goes down": {func(n int, _ llm.Request) error {
			if n == 2 {
				return enginetest.Down()
			}
			return nil
		}, 0, enginetest.Down(), 3, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := ""
			m := &enginetest.Turns{Answer: func(n int, r llm.Request) (llm.Response, error) {
				all += enginetest.SaidTo(r)
				if c.fail != nil && c.fail(n, r) != nil {
					return llm.Response{}, c.fail(n, r)
				}
				if len(r.Tools) == 0 {
					return enginetest.Reply("at last"), nil
				}
				return enginetest.Calling(enginetest.ReadOf(fmt.Sprint(n), fmt.Sprint("f", n)))
			}}
			s, what := conversing(t, m, &asktest.Desk{}, &asktest.Recorder{MaxCalls: c.most})
			out, err := s.Converse(t.Context(), what)
			switch {
			case c.want == nil:
				if err != nil || out.Text != "at last" {
					t.Fatalf("%q, %v", out.Text, err)
				}
			case !errors.Is(err, c.want) && (err == nil || ask.ErrorClass(c.want) == "ended" || ask.ErrorClass(err) != ask.ErrorClass(c.want)):
				t.Fatalf("error %v, want %v", err, c.want)
			}
			if c.turns > 0 && len(m.Requests) != c.turns || !strings.Contains(all, c.has) {
				t.Errorf("%d requests, want %d; %q is said: %v", len(m.Requests), c.turns, c.has, strings.Contains(all, c.has))
			}
		})
	}
}

// A call that repeats what is confidential is never made.
func TestACallWithTheCanaryIsNotMade(t *testing.T) {
	t.Parallel()
	d := &asktest.Desk{}
	m := &enginetest.Turns{}
	s, what := conversing(t, m, d, nil)
	m.Answer = func(int, llm.Request) (llm.Response, error) {
		return enginetest.Calling(enginetest.ReadOf("a", "a.go"), enginetest.ReadOf("b", strings.ToUpper(s.Guard.Canary)+".go"))
	}
	if _, err := s.Converse(t.Context(), what); !errors.Is(err, ask.ErrCanary) || len(d.Ran) != 0 {
		t.Errorf("%v; made: %v", err, d.Ran)
	}
}

// A small window holds what was looked at last, and a question that does not fit by
// itself is not shortened.
func TestAConversationInASmallWindow(t *testing.T) {
	t.Parallel()
	d := &asktest.Desk{Size: 3_000}
	m := &enginetest.Turns{Answer: func(n int, r llm.Request) (llm.Response, error) {
		if ask.Size(r.System, r.Schema.JSON, r.Messages)+ask.ToolSize(r.Tools) > 3_200 {
			return llm.Response{}, enginetest.Overflow()
		}
		if len(r.Tools) == 0 {
			return enginetest.Reply("at last"), nil
		}
		return enginetest.Calling(enginetest.ReadOf(fmt.Sprint(n), fmt.Sprint("f", n)))
	}}
	s, what := conversing(t, m, d, nil)
	what.Route.Window = 4_000
	out, err := s.Converse(t.Context(), what)
	if err != nil || out.Text != "at last" || len(out.Seen) != 6 {
		t.Fatalf("%q, %v, %d seen", out.Text, err, len(out.Seen))
	}
	if last := enginetest.SaidTo(m.Requests[len(m.Requests)-1]); !strings.Contains(last, "result 6") || strings.Contains(last, "result 1 ") {
		t.Errorf("the last request holds %d characters without the last result, or with the first", len(last))
	}
	m.Requests = nil
	what.Messages = []llm.Message{{Role: llm.User, Text: strings.Repeat("x", 20_000)}}
	if _, err := s.Converse(t.Context(), what); !errors.Is(err, ask.ErrTooLong) {
		t.Errorf("%v", err)
	}
}
