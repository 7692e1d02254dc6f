package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"text/template"

	"github.com/assay-dev/assay/sim/model/prompt"
)

// Rule is an answer to the requests that it matches. Rules are tried in order; the first matching rule that is
// not used up answers.
type Rule struct {
	Name  string `json:"name,omitempty"`
	Match Match  `json:"match,omitzero"`
	Reply Reply  `json:"reply,omitzero"`
	// Fault, if set, is applied to the requests of this rule. Its own Match, Nth and Times are ignored.
	Fault *Fault `json:"fault,omitempty"`
	// Times is the number of requests that the rule answers; 0 means without end.
	Times int `json:"times,omitempty"`
}

// Match selects requests. Every set member must hold; the zero value matches everything.
type Match struct {
	// Stage is the word after "stage:" on its own line of the system text.
	Stage string `json:"stage,omitempty"`
	// SystemContains must be part of the system text.
	SystemContains string `json:"systemContains,omitempty"`
	// UserContains must all be parts of the text of the user's messages.
	UserContains []string `json:"userContains,omitempty"`
	// UserRegexp must match that text (Go syntax).
	UserRegexp string `json:"userRegexp,omitempty"`
	// Model is the requested model.
	Model string `json:"model,omitempty"`
	// Effort is the requested reasoning effort; "any" matches every set effort.
	Effort string `json:"effort,omitempty"`
	// Tools is "offered" for requests with tools, "none" for requests without.
	Tools string `json:"tools,omitempty"`
	// Turn is the number of the answer in a conversation, from 1; 0 means every one.
	Turn int `json:"turn,omitempty"`
	// Nth is the only match that counts, from 1; 0 means every one.
	Nth int `json:"nth,omitempty"`
}

// Reply is an answer. The first set member makes the content: JSON, Text, Template, Findings, Verify,
// Criteria, Same. If all are unset, it is the smallest instance of the request's schema.
type Reply struct {
	JSON json.RawMessage `json:"json,omitempty"`
	Text string          `json:"text,omitempty"`
	// Template is a text/template with .Model, .Stage, .System, .User, .Results (of tools), .Effort, .Format,
	// .CacheKey, .N (number of the rule's request, from 1) and the functions json (a value as JSON) and line
	// (path, text: the number of a line in the diff of the request, 0 if absent).
	Template string `json:"template,omitempty"`
	// Findings are located in the diff of the request; those with a missing line are omitted. An empty list
	// that is not null is an answer without findings.
	Findings []Finding `json:"findings,omitzero"`
	// Synopses are sentences on whole changes, by the path of a file. If a request asks for one, the answer with findings has that of
	// the first such file in its diff.
	Synopses map[string]string `json:"synopses,omitempty"`
	// Verify answers claims.
	Verify *Verify `json:"verify,omitempty"`
	// Criteria judges the criteria of an issue.
	Criteria *Criteria `json:"criteria,omitempty"`
	// Same answers pairs of reports.
	Same *Same `json:"same,omitempty"`
	// ToolCalls are sent beside the content.
	ToolCalls []ToolCall `json:"toolCalls,omitempty"`
	// FinishReason is "stop" if empty, "tool_calls" with tool calls; "length" and "content_filter" are
	// translated for each dialect.
	FinishReason string `json:"finishReason,omitempty"`
	// Refusal is sent in place of the content.
	Refusal string `json:"refusal,omitempty"`
	// Usage overrides the estimate of one token per four bytes.
	Usage *Usage `json:"usage,omitempty"`
	// Model overrides the name of the answering model.
	Model string `json:"model,omitempty"`
}

// Usage counts tokens. Cached tokens (read) and written ones (to a cache) are part of Input, reasoning tokens
// of Output. A dialect without one of the counts omits it.
type Usage struct {
	Input     int64 `json:"input"`
	Cached    int64 `json:"cached,omitempty"`
	Output    int64 `json:"output"`
	Reasoning int64 `json:"reasoning,omitempty"`
	Written   int64 `json:"written,omitempty"`
}

// ToolCall asks for a call of a function. Arguments is JSON text.
type ToolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Finding is a finding whose place is looked up in the diff of the request.
type Finding struct {
	// Path is the file's path, as after "===".
	Path string `json:"path"`
	// LineContains selects the line, or the last line of a range: a line that equals it, otherwise one that
	// contains it; added lines come before unchanged ones.
	LineContains string `json:"lineContains"`
	// StartContains selects the first line of a range; the search for the last line then starts there.
	StartContains string `json:"startContains,omitempty"`
	// Quote overrides the code of the lines.
	Quote string `json:"quote,omitempty"`
	// Off shifts the line numbers of the answer, to make them wrong; they stay above 0.
	Off         int        `json:"off,omitempty"`
	Title       string     `json:"title"`
	Explanation string     `json:"explanation"`
	Trigger     string     `json:"trigger,omitempty"`
	Category    string     `json:"category,omitempty"`
	RuleKey     string     `json:"ruleKey,omitempty"`
	Severity    string     `json:"severity,omitempty"`
	Evidence    []Evidence `json:"evidence,omitempty"`
	Fix         *Fix       `json:"fix,omitempty"`
	SelfDoubt   float64    `json:"selfDoubt,omitempty"`
	// Ask is a call of a tool before the finding is reported.
	Ask *Ask `json:"ask,omitempty"`
}

// Ask is a question to a tool. If the tool is missing, or answers differently, the finding is reported without
// it.
type Ask struct {
	// Tool is the tool's name, or its part after "__".
	Tool string `json:"tool"`
	// Arguments is JSON text.
	Arguments string `json:"arguments"`
	// Lens is the only pass that asks, as returned by [prompt.Lens]; "" means every pass.
	Lens string `json:"lens,omitempty"`
	// Contains must be part of the tools' answers; the explanation then ends with Adds.
	Contains string `json:"contains"`
	Adds     string `json:"adds"`
}

// Evidence is a quote from another place, looked up like a finding.
type Evidence struct {
	Path         string `json:"path"`
	LineContains string `json:"lineContains"`
	Note         string `json:"note,omitempty"`
}

// Fix replaces code. An empty Old means the code of the finding's lines. If Old has several lines and there is
// no StartContains, Old also defines the finding's lines.
type Fix struct {
	Old string `json:"old,omitempty"`
	New string `json:"new"`
}

// Same decides which pairs of reports are about one defect: those whose titles are in one list.
type Same struct {
	Titles [][]string `json:"titles"`
}

// Verify confirms every claim with its code, except the claims that are listed by title. A claim about an
// earlier report is confirmed if its quote is still in the shown code, otherwise refuted.
type Verify struct {
	// Refute and Unproven are regular expressions on the claim's title (Go syntax).
	Refute   []string `json:"refute,omitempty"`
	Unproven []string `json:"unproven,omitempty"`
	// Stands maps titles to the line that proves their defect, whatever line was reported. A claim about an
	// earlier report is confirmed by that line if it is shown.
	Stands map[string]string `json:"stands,omitempty"`
	// Severity is "critical" if empty, which lowers nothing.
	Severity string `json:"severity,omitempty"`
	// Explain is the explanation of every verdict; empty leaves the reported one.
	Explain string `json:"explain,omitempty"`
	// Look requests the definitions of the names that the claims' lines call before it answers, or reads the
	// file if there is no such tool. Without tools it has no effect.
	Look bool `json:"look,omitempty"`
}

// Check returns an error for the first wrong member.
func (r Rule) Check() error {
	switch {
	case r.Times < 0:
		return errors.New("times: must not be negative")
	case len(r.Reply.JSON) > 0 && !json.Valid(r.Reply.JSON):
		return errors.New("reply.json: must be JSON")
	}
	if _, err := newTemplate(r.Reply.Template, nil); err != nil {
		return fmt.Errorf("reply.template: %w", err)
	}
	if c := r.Reply.Criteria; c != nil {
		if err := c.Check(); err != nil {
			return fmt.Errorf("reply.criteria: %w", err)
		}
	}
	for i, f := range r.Reply.Findings {
		if a := f.Ask; a != nil && (a.Tool == "" || !json.Valid([]byte(a.Arguments)) || a.Contains == "" || a.Adds == "") {
			return fmt.Errorf("reply.findings[%d].ask: tool, arguments in JSON, contains and adds are needed", i)
		}
		if f.Path == "" || f.LineContains == "" || f.Title == "" || f.Explanation == "" {
			return fmt.Errorf("reply.findings[%d]: path, lineContains, title and explanation are needed", i)
		}
	}
	if v := r.Reply.Verify; v != nil {
		for _, p := range append(append([]string(nil), v.Refute...), v.Unproven...) {
			if _, err := regexp.Compile(p); err != nil {
				return fmt.Errorf("reply.verify: a pattern is not a regular expression")
			}
		}
	}
	if r.Fault != nil {
		if err := r.Fault.Check(); err != nil {
			return fmt.Errorf("fault: %w", err)
		}
	}
	return r.Match.Check()
}

// Check returns an error for the first wrong member.
func (m Match) Check() error {
	if m.Nth < 0 {
		return errors.New("match.nth: must not be negative")
	}
	if _, err := regexp.Compile(m.UserRegexp); err != nil {
		return errors.New("match.userRegexp: must be a regular expression")
	}
	return nil
}

// matches reports whether a request fits, regardless of Nth. The pattern is already checked.
func (m Match) matches(q *request) bool {
	if m.Stage != "" && m.Stage != q.stage || m.Model != "" && m.Model != q.Model || !strings.Contains(q.system, m.SystemContains) {
		return false
	}
	if m.Effort != "" && m.Effort != q.effort() && (m.Effort != "any" || q.effort() == "") {
		return false
	}
	if m.Tools != "" && (m.Tools == "offered") != (q.tools > 0) || m.Turn > 0 && m.Turn != q.turns+1 {
		return false
	}
	for _, part := range m.UserContains {
		if !strings.Contains(q.user, part) {
			return false
		}
	}
	return m.UserRegexp == "" || regexp.MustCompile(m.UserRegexp).MatchString(q.user)
}

func newTemplate(text string, q *request) (*template.Template, error) {
	return template.New("reply").Option("missingkey=error").Funcs(template.FuncMap{
		"json": func(v any) (string, error) {
			raw, err := json.Marshal(v)
			return string(raw), err
		},
		"line": func(path, text string) int {
			if l := prompt.ReadDiff(q.user).Find(path, text, 0); l != nil {
				return l.Number
			}
			return 0
		},
	}).Parse(text)
}
