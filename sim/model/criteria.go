package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// Criteria judges the criteria of an issue that are listed, by their texts; others get no verdict.
type Criteria struct {
	// Read are files that are read first, Search texts that are searched for, where there are tools for it.
	Read   []string `json:"read,omitempty"`
	Search []Search `json:"search,omitempty"`
	// List are the criteria.
	List []Criterion `json:"list"`
}

// Search is a text that is searched for in the files of a pattern; "" are all.
type Search struct {
	Query string `json:"query"`
	Glob  string `json:"glob,omitempty"`
}

// Criterion is what is said of a criterion.
type Criterion struct {
	// Text is the whole criterion.
	Text string `json:"text"`
	// Verdict is "met", "partly", "not_met", "unclear" or "not_applicable".
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Quotes are code that does it.
	Quotes []CodeQuote `json:"quotes,omitempty"`
	// Searched is where it was looked for.
	Searched []Searched `json:"searched,omitempty"`
}

// CodeQuote is code at the head. Its line is looked up in the diff of the request; of a file that is not there it is the first.
type CodeQuote struct {
	Path string `json:"path"`
	Code string `json:"code"`
	Note string `json:"note,omitempty"`
}

// Searched is a file that was read, or a text that was searched for.
type Searched struct {
	Path  string `json:"path,omitempty"`
	Query string `json:"query,omitempty"`
	Note  string `json:"note,omitempty"`
}

// Check reports the first member that is wrong.
func (c Criteria) Check() error {
	for i, one := range c.List {
		switch {
		case one.Text == "" || one.Reason == "":
			return fmt.Errorf("list[%d]: text and reason are needed", i)
		case !slices.Contains([]string{"met", "partly", "not_met", "unclear", "not_applicable"}, one.Verdict):
			return fmt.Errorf("list[%d].verdict: must be met, partly, not_met, unclear or not_applicable", i)
		}
	}
	if len(c.List) == 0 {
		return errors.New("list: must not be empty")
	}
	return nil
}

// of returns what is said of a criterion.
func (c Criteria) of(text string) (Criterion, bool) {
	i := slices.IndexFunc(c.List, func(one Criterion) bool { return one.Text == text })
	if i < 0 {
		return Criterion{}, false
	}
	return c.List[i], true
}

// looks are the calls before the answer; none where the request has no criterion that is listed.
func (c Criteria) looks(q *request) []ToolCall {
	if !slices.ContainsFunc(prompt.ReadCriteria(q.user), func(asked prompt.Criterion) bool { _, listed := c.of(asked.Text); return listed }) {
		return nil
	}
	a := asking{q: q}
	for _, path := range c.Read {
		a.ask("read_file", obj{"path": path, "from": nil, "to": nil, "side": "RIGHT"})
	}
	for _, s := range c.Search {
		arguments := obj{"query": s.Query, "kind": "text", "glob": nil}
		if s.Glob != "" {
			arguments["glob"] = s.Glob
		}
		a.ask("search", arguments)
	}
	return a.calls
}

// judged answers the criteria of a request.
func judged(q *request, c Criteria) (json.RawMessage, error) {
	d := prompt.ReadDiff(q.user)
	var out []prompt.Judgement
	for _, asked := range prompt.ReadCriteria(q.user) {
		one, listed := c.of(asked.Text)
		if !listed {
			continue
		}
		r := prompt.Judgement{Criterion: asked.Name, Verdict: one.Verdict, Reason: one.Reason, Quotes: []prompt.CodeQuote{}, Searched: []prompt.Searched{}}
		for _, quote := range one.Quotes {
			start := 1
			if l := d.Find(quote.Path, prompt.FirstLine(quote.Code), 0); l != nil {
				start = l.Number
			}
			r.Quotes = append(r.Quotes, prompt.CodeQuote{Path: quote.Path, Start: start, Quote: quote.Code, Note: quote.Note})
		}
		for _, s := range one.Searched {
			r.Searched = append(r.Searched, prompt.Searched(s))
		}
		out = append(out, r)
	}
	return plainJSON(prompt.Judgements(out))
}
