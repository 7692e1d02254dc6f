package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// Criteria judges the listed criteria of an issue, found by their texts; others get no verdict.
type Criteria struct {
	// Read are files to read first, Search are texts to search for first, if tools for that are offered.
	Read   []string `json:"read,omitempty"`
	Search []Search `json:"search,omitempty"`
	// List are the criteria.
	List []Criterion `json:"list"`
}

// Search is a text to search for in the files of a pattern; "" means all files.
type Search struct {
	Query string `json:"query"`
	Glob  string `json:"glob,omitempty"`
}

// Criterion is the judgement of a criterion.
type Criterion struct {
	// Text is the whole criterion.
	Text string `json:"text"`
	// Verdict is "met", "partly", "not_met", "unclear" or "not_applicable".
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	// Quotes are code that meets the criterion.
	Quotes []CodeQuote `json:"quotes,omitempty"`
	// Searched lists the places that were searched.
	Searched []Searched `json:"searched,omitempty"`
}

// CodeQuote is code at the head. Its line is looked up in the diff of the request; for a file outside the diff
// it is the first line.
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

// Check returns an error for the first wrong member.
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

// of returns the judgement of a criterion.
func (c Criteria) of(text string) (Criterion, bool) {
	i := slices.IndexFunc(c.List, func(one Criterion) bool { return one.Text == text })
	if i < 0 {
		return Criterion{}, false
	}
	return c.List[i], true
}

// looks returns the calls before the answer; nil if no criterion of the request is listed.
func (c Criteria) looks(q *request) []ToolCall {
	if !slices.ContainsFunc(prompt.ReadCriteria(q.user), func(asked prompt.Criterion) bool { _, listed := c.of(asked.Text); return listed }) {
		return nil
	}
	a := callCollector{q: q}
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

// answerCriteria answers the criteria of a request.
func answerCriteria(q *request, c Criteria) (json.RawMessage, error) {
	d := prompt.ReadDiff(q.user)
	var out []prompt.Judgement
	for _, asked := range prompt.ReadCriteria(q.user) {
		one, listed := c.of(asked.Text)
		if !listed {
			continue
		}
		r := prompt.Judgement{Criterion: asked.Name, Verdict: one.Verdict, Reason: one.Reason, Quotes: []prompt.CodeQuote{},
			Searched: []prompt.Searched{}}
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
