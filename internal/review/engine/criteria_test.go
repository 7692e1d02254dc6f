package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/ask/asktest"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/enginetest"
	"github.com/assay-dev/assay/internal/snapshot"
	"github.com/assay-dev/assay/internal/testkit"
)

// searching searches its files at the head as git does, for several at once.
type searching struct {
	enginetest.Files
	mu *sync.Mutex
}

func (g searching) Search(ctx context.Context, q snapshot.Query, limit int) ([]snapshot.Match, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	var queries []snapshot.Query
	return grepped{g.Files, &queries}.Search(ctx, q, limit)
}

// between is the input of the change from one tree to another, with a ticket.
func between(t *testing.T, base, head enginetest.Tree, m llm.Client, ticket domain.Ticket) Input {
	t.Helper()
	in := sampleChange(t)
	in.shows(base, head, nil)
	in.Source = searching{in.Source.(enginetest.Files), &sync.Mutex{}}
	in.Tickets = []domain.Ticket{ticket}
	if m != nil {
		in.Models = models(m)
	}
	return in
}

func verdictsOn(t *testing.T, in Input, d Deps) []domain.CriterionCheck {
	t.Helper()
	d.Checks = newChecker(t)
	got, err := New(d).Criteria(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	return got.Checks
}

func ticketOf(texts ...string) domain.Ticket {
	out := domain.Ticket{Key: "PAY-12", URL: "https://tracker.example/PAY-12", Title: "What is wanted", Description: "Please do as below."}
	for i, text := range texts {
		out.Criteria = append(out.Criteria, domain.Criterion{ID: fmt.Sprint("id", i), Text: text})
	}
	return out
}

// verdictGiven is a verdict as models give it.
type verdictGiven struct {
	Criterion string       `json:"criterion"`
	Verdict   string       `json:"verdict"`
	Reason    string       `json:"reason"`
	Quotes    []proofGiven `json:"quotes"`
	Searched  []lookGiven  `json:"searched"`
}

// proofGiven is code that a model quotes.
type proofGiven struct {
	Path  string `json:"path"`
	Start int    `json:"start"`
	Quote string `json:"quote"`
	Note  string `json:"note"`
}

// lookGiven is a place where a model claims to have looked.
type lookGiven struct {
	Path  string `json:"path"`
	Query string `json:"query"`
	Note  string `json:"note"`
}

var criterionLine = regexp.MustCompile(`(?m)^(c\d+): (.*)$`)

// ruled answers about the criteria of a question. looks returns the searches to make before it answers.
func ruled(says func(text string) verdictGiven, looks func(text string) []string) *enginetest.Turns {
	m := &enginetest.Turns{}
	m.Answer = func(_ int, r llm.Request) (llm.Response, error) {
		system, _ := enginetest.Prompt(r)
		if !strings.HasPrefix(system, "stage: criteria") {
			return say(map[string]any{"findings": []candidate{}, "verdicts": []verdict{}})
		}
		lines := criterionLine.FindAllStringSubmatch(listOfCriteria(r.Messages[0].Text), -1)
		var calls []llm.ToolCall
		for _, l := range lines {
			for _, q := range looks(l[2]) {
				calls = append(calls, llm.ToolCall{ID: fmt.Sprint(len(calls)), Name: "search", Arguments: fmt.Sprintf(`{"query":%q,"kind":"text","glob":null}`, q)})
			}
		}
		if len(calls) > 0 && len(r.Messages) == 1 {
			return enginetest.Calling(calls...)
		}
		rulings := []verdictGiven{}
		for _, l := range lines {
			v := says(l[2])
			v.Criterion = l[1]
			rulings = append(rulings, v)
		}
		return say(map[string]any{"verdicts": rulings})
	}
	return m
}

// listOfCriteria returns the text after the last fence of a question. Earlier fences may hold a text
// that looks like it.
func listOfCriteria(question string) string {
	return question[strings.LastIndex(question, " acceptance criteria>"):]
}

func none(string) []string { return nil }

// Forty criteria with their true verdicts: the verdict of an honest model passes with its proof, and
// each of its places is in the head.
func TestLabelledCriteria(t *testing.T) {
	t.Parallel()
	total := 0
	for _, c := range labelledChanges {
		total += len(c.criteria)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			labels, texts := map[string]labelledCriterion{}, []string(nil)
			for _, l := range c.criteria {
				labels[l.text] = l
				texts = append(texts, l.text)
			}
			m := ruled(func(text string) verdictGiven {
				l := labels[text]
				out := verdictGiven{Verdict: l.verdict, Reason: "This is what was looked for and found.", Quotes: l.quotes}
				for _, q := range l.looks {
					out.Searched = append(out.Searched, lookGiven{Query: q, Note: "looked for it"})
				}
				return out
			}, func(text string) []string { return labels[text].looks })
			in := between(t, c.base, c.head, m, ticketOf(texts...))
			for i, check := range verdictsOn(t, in, Deps{}) {
				l := c.criteria[i]
				if check.Verdict != l.verdict || check.Criterion.Text != l.text || check.Ticket != "PAY-12" || check.Reason == "" {
					t.Errorf("%s: %+v", l.text, check)
				}
				switch check.Verdict {
				case met, partly:
					testkit.Equal(t, "quotes of "+l.text, len(check.Places), len(l.quotes))
					for n, p := range check.Places {
						lines := strings.Split(c.head[p.Path], "\n")
						if p.StartLine < 1 || p.EndLine > len(lines) || !strings.Contains(change.StripSpace(strings.Join(lines[p.StartLine-1:p.EndLine], "\n")), change.StripSpace(l.quotes[n].Quote)) {
							t.Errorf("%s: place %+v", l.text, p)
						}
					}
				case notMet:
					if len(check.Places) == 0 || check.Places[0].Path != "**" {
						t.Errorf("%s: searched %+v", l.text, check.Places)
					}
				default:
					testkit.Equal(t, "places of "+l.text, len(check.Places), 0)
				}
			}
		})
	}
	testkit.Equal(t, "criteria", total, 40)
}

// A criterion is called missing only if the model searched for it. Otherwise it is unclear.
func TestMissingCriteriaWereSearchedFor(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	long := enginetest.Merged(c.head, enginetest.Tree{"big.go": "package big\n\n" + strings.Repeat("var x = 1 // "+strings.Repeat("y", 60)+"\n", 3000)})
	for name, l := range map[string]struct {
		head     enginetest.Tree
		looks    []string
		searched lookGiven
		verdict  string
	}{
		"nowhere":                        {c.head, nil, lookGiven{}, unclear},
		"a search that was not made":     {c.head, nil, lookGiven{Query: "time.Minute"}, unclear},
		"another search":                 {c.head, []string{"smtp"}, lookGiven{Query: "time.Minute"}, unclear},
		"a search":                       {c.head, []string{"time.Minute"}, lookGiven{Query: "time.minute "}, notMet},
		"a file that was not shown":      {c.head, []string{"smtp"}, lookGiven{Path: "auth/check.go"}, unclear},
		"a file of the change":           {c.head, nil, lookGiven{Path: "auth/login.go"}, notMet},
		"a file where not all was shown": {long, nil, lookGiven{Path: "auth/login.go"}, unclear},
		"the same, and something else":   {long, []string{"time.Minute"}, lookGiven{Path: "auth/login.go"}, notMet},
		"a file that a search has shown": {c.head, []string{"errWrong"}, lookGiven{Path: "auth/check.go"}, notMet},
		"a missing file":                 {c.head, []string{"errWrong"}, lookGiven{Path: "auth/nothing.go"}, unclear},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := ruled(func(string) verdictGiven {
				return verdictGiven{Verdict: notMet, Reason: "No time ends the lock.", Searched: []lookGiven{l.searched}}
			}, func(string) []string { return l.looks })
			got := verdictsOn(t, between(t, c.base, l.head, m, ticketOf("The lock ends after 15 minutes.")), Deps{})
			if got[0].Verdict != l.verdict || (len(got[0].Places) > 0) != (l.verdict == notMet) {
				t.Errorf("%+v", got[0])
			}
		})
	}
}

// A criterion that could not be judged is unclear and says why. Without a model there are no verdicts.
func TestUnjudgedCriteriaAreUnclear(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	many := make([]string, domain.MaxCriteria)
	for i := range many {
		many[i] = fmt.Sprintf("Criterion number %d holds.", i)
	}
	fails := func(err error) llm.Client {
		return &enginetest.Turns{Answer: func(int, llm.Request) (llm.Response, error) { return llm.Response{}, err }}
	}
	for name, l := range map[string]struct {
		m   llm.Client
		d   Deps
		why string
	}{
		"no model":       {nil, Deps{}, "No model looked at it."},
		"down":           {fails(enginetest.Down()), Deps{}, "The model gave no usable answer."},
		"refused":        {fails(enginetest.Final()), Deps{}, "The model gave no usable answer."},
		"a fault":        {&enginetest.Turns{Answer: func(int, llm.Request) (llm.Response, error) { panic("unexpected text") }}, Deps{}, "The model gave no usable answer."},
		"no budget":      {fails(errors.New("never asked")), Deps{Recorder: &asktest.Recorder{}}, "The model gave no usable answer."},
		"budget is used": {fails(nil), Deps{Recorder: spent{}}, "The budget for models is used up."},
		"no JSON":        {&enginetest.Turns{Answer: func(int, llm.Request) (llm.Response, error) { return enginetest.Reply("All is met."), nil }}, Deps{}, "The model gave no usable answer."},
		"no verdict":     {&enginetest.Turns{Answer: func(int, llm.Request) (llm.Response, error) { return say(map[string]any{"verdicts": []verdictGiven{}}) }}, Deps{}, "The model gave no usable answer."},
		"the canary": {&enginetest.Turns{Answer: func(_ int, r llm.Request) (llm.Response, error) {
			return enginetest.Reply(canaryOf.FindStringSubmatch(r.System)[1]), nil
		}}, Deps{}, "The model gave no usable answer."},
		"no reason": {ruled(func(string) verdictGiven { return verdictGiven{Verdict: notHere} }, none), Deps{}, "The model gave no reason."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := verdictsOn(t, between(t, c.base, c.head, l.m, ticketOf(many...)), l.d)
			testkit.Equal(t, "criteria", len(got), domain.MaxCriteria)
			for _, check := range got {
				if check.Verdict != unclear || check.Reason != l.why || len(check.Places) > 0 || check.Basis != "" {
					t.Errorf("%+v", check)
				}
			}
		})
	}
}

// spent has no budget left.
type spent struct{ ask.NopRecorder }

func (spent) Before(context.Context, ask.Call) (string, error) { return "", ask.ErrBudget }

// The number of tickets is bounded, and criteria beyond the conversations of a review say so.
func TestCriteriaAreBounded(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	m := ruled(func(string) verdictGiven { return verdictGiven{Verdict: unclear, Reason: "Nobody can say this."} }, none)
	in := between(t, c.base, c.head, m, domain.Ticket{})
	in.Tickets = nil
	for i := range domain.MaxTickets + 3 {
		tk := ticketOf()
		tk.Key = fmt.Sprintf("PAY-%d", i)
		for n := range domain.MaxCriteria + 5 {
			tk.Criteria = append(tk.Criteria, domain.Criterion{ID: fmt.Sprint(n), Text: strings.Repeat("wörd ", 1000)})
		}
		in.Tickets = append(in.Tickets, tk, tk)
	}
	got, err := New(Deps{Checks: newChecker(t)}).Criteria(t.Context(), in)
	testkit.OK(t, err)
	testkit.Equal(t, "tickets", len(got.Tickets), domain.MaxTickets)
	testkit.Equal(t, "criteria", len(got.Checks), domain.MaxTickets*domain.MaxCriteria)
	testkit.Equal(t, "conversations", len(m.Requests), 12)
	testkit.Equal(t, "the last one's reason", strings.HasPrefix(got.Checks[len(got.Checks)-1].Reason, "A review judges no more"), true)
}

// A verdict stays, without a call, as long as the criterion and the files that it rests on do not
// change.
func TestVerdictsAreKept(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	texts := []string{c.criteria[0].text, c.criteria[5].text, c.criteria[6].text, c.criteria[8].text, c.criteria[9].text}
	honest := func() *enginetest.Turns {
		return ruled(func(text string) verdictGiven {
			for _, l := range c.criteria {
				if l.text == text {
					return verdictGiven{Verdict: l.verdict, Reason: "This is what was found.", Quotes: l.quotes, Searched: []lookGiven{{Query: "time.Minute"}}}
				}
			}
			return verdictGiven{Verdict: unclear, Reason: "This criterion is new here."}
		}, func(string) []string { return []string{"time.Minute"} })
	}
	first := verdictsOn(t, between(t, c.base, c.head, honest(), ticketOf(texts...)), Deps{})
	moved := enginetest.Merged(c.head, enginetest.Tree{"auth/login.go": strings.Replace(c.head["auth/login.go"], "package auth\n", "package auth\n\nvar further = 1\n", 1)})
	edited := enginetest.Merged(c.head, enginetest.Tree{"auth/login.go": strings.Replace(c.head["auth/login.go"], ">= maxAttempts", "> maxAttempts", 1)})
	other := slices.Clone(texts)
	other[0] = "After six failed attempts a login is refused."
	for name, l := range map[string]struct {
		head  enginetest.Tree
		texts []string
		full  bool
		asked []string // the criteria that a model is asked about
	}{
		"nothing changed":                  {c.head, texts, false, texts[4:]},
		"the evidence moved":               {moved, texts, false, texts[1:]},
		"the evidence was edited":          {edited, texts, false, texts},
		"the criterion was edited":         {c.head, other, false, []string{other[0], texts[4]}},
		"everything is asked for":          {c.head, texts, true, texts},
		"a document came":                  {enginetest.Merged(c.head, enginetest.Tree{"NOTES.md": "# Notes\n\nAll is done.\n", "notes.txt": "All is done.\n"}), texts, false, texts[4:]},
		"a file that has nothing to do":    {enginetest.Merged(c.head, enginetest.Tree{"other.go": "package other\n"}), texts, false, texts[1:]},
		"the file of the evidence is gone": {without(c.head, "auth/login.go"), texts, false, texts},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := honest()
			in := between(t, c.base, l.head, m, ticketOf(l.texts...))
			in.EarlierChecks, in.Full = first, l.full
			if l.texts[0] != texts[0] {
				in.Tickets[0].Criteria[0].ID = "another"
			}
			got := verdictsOn(t, in, Deps{})
			var asked []string
			for _, line := range criterionLine.FindAllStringSubmatch(m.Requests[0].Messages[0].Text, -1) {
				asked = append(asked, line[2])
			}
			testkit.Equal(t, "asked", strings.Join(asked, "|"), strings.Join(l.asked, "|"))
			for i, check := range got {
				testkit.Equal(t, "kept: "+check.Criterion.Text, check.Kept, !slices.Contains(l.asked, l.texts[i]))
				if check.Kept && check.Verdict != first[i].Verdict {
					t.Errorf("%+v, before %+v", check, first[i])
				}
			}
			if name == "the evidence moved" {
				testkit.Equal(t, "where it stands now", got[0].Places[0].StartLine, first[0].Places[0].StartLine+2)
			}
		})
	}
}

func without(of enginetest.Tree, path string) enginetest.Tree {
	out := maps.Clone(of)
	delete(out, path)
	return out
}

// A stored conversation is not repeated, and its verdicts are the same.
func TestVerdictsAreStored(t *testing.T) {
	t.Parallel()
	c := labelledChanges[0]
	m := ruled(func(string) verdictGiven {
		return verdictGiven{Verdict: met, Reason: "It counts and refuses.", Quotes: c.criteria[0].quotes}
	}, none)
	kept := &safeStages{m: memoryStages{map[string][]byte{}}}
	var first []domain.CriterionCheck
	for i := range 2 {
		got := verdictsOn(t, between(t, c.base, c.head, m, ticketOf(c.criteria[0].text)), Deps{Stages: kept})
		if i == 0 {
			first = got
		}
		testkit.Equal(t, "verdicts", fmt.Sprint(got), fmt.Sprint(first))
	}
	testkit.Equal(t, "calls", len(m.Requests), 1)
}

// safeStages are stages in memory that are safe for concurrent use.
type safeStages struct {
	mu sync.Mutex
	m  memoryStages
}

func (s *safeStages) Load(ctx context.Context, stage, hash string) ([]byte, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m.Load(ctx, stage, hash)
}

func (s *safeStages) Save(ctx context.Context, stage, hash string, out []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m.Save(ctx, stage, hash, out)
}

func (s *safeStages) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s", s.m.m)
}
