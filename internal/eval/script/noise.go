package script

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/sim/model/prompt"
)

// noise reports a part of the golden findings the way unsure models do: with other words, shifted lines,
// margin numbers in the quote, another side or another kind, and with invented findings. Each pass answers
// differently. A pass with its own lens is silent if it sees nothing.
func (m *Model) noise(lens string, exact []prompt.Found, shown prompt.Diff, schema json.RawMessage) []prompt.Found {
	var out []prompt.Found
	for _, f := range exact {
		r := m.chance("noise " + passName(lens) + f.Path + f.Title)
		if m.options.Name == Noisy && r.Float64() >= m.options.Recall {
			continue
		}
		f.Title, f.Explanation = reword(r, f.Title), reword(r, f.Explanation)
		f.RuleKey = prompt.Allowed(schema, "rule_key", kinds[r.IntN(len(kinds))], "other")
		switch r.IntN(5) {
		case 0:
			off := r.IntN(41) - 20
			f.Start, f.End = max(f.Start+off, 1), max(f.End+off, 1)
		case 1:
			f.Quote = margin(f)
		case 2:
			f.Side = string(sideOf(f.Side != string(domain.Left)))
		}
		out = append(out, f)
		if r.IntN(4) == 0 { // report it twice
			f.Title = reword(r, f.Title)
			out = append(out, f)
		}
	}
	r := m.chance(fmt.Sprint("invent ", passName(lens), len(shown)))
	if len(shown) == 0 || lens != "" && !strings.HasPrefix(lens, "general") && len(exact) == 0 {
		return out
	}
	l := shown[r.IntN(len(shown))]
	invented := prompt.Found{Path: l.Path, Side: string(sideOf(l.Old)), Start: l.Number, End: l.Number, Quote: l.Text,
		Category: prompt.Allowed(schema, "category", "", "bug"),
		RuleKey:  prompt.Allowed(schema, "rule_key", "", "other"), Severity: "medium", Title: "This may fail under load",
		Explanation: "Under load this may fail, because nothing prevents it.",
		Trigger:     "Many requests at once.", Evidence: []prompt.Citation{}, SelfDoubt: 0.6}
	if r.IntN(2) == 0 || strings.TrimSpace(l.Text) == "" { // code that does not exist
		invented.Quote, invented.Title = "if retries := config.MaxRetries; retries > limit { panic(retries) }", "The retries are not bounded"
	}
	return append(out, invented)
}

// passName returns the name of a pass, or "" for the first general pass.
func passName(lens string) string { return strings.TrimPrefix(lens, "general") }

// kinds are rule keys that a model confuses.
var kinds = []string{"other", "wrong-variable", "nil-deref", "error-ignored", "off-by-one", "data-race", "resource-leak"}

// reworded replaces words by synonyms.
var reworded = strings.NewReplacer("wrong", "incorrect", "is lost", "gets dropped", "error", "failure", "missing", "absent",
	"never", "not ever", "returns", "gives back", "called", "invoked", "The ", "Here the ")

// reword rewrites a sentence and keeps the name of its defect.
func reword(r *rand.Rand, s string) string {
	name, rest, found := strings.Cut(s, ": ")
	if !found {
		name, rest = "", s
	}
	words := strings.Fields(reworded.Replace(rest))
	if len(words) > 3 && r.IntN(2) == 0 {
		words = append(words[1:], "as of this change")
	}
	out := strings.Join(words, " ")
	if name != "" {
		out = name + ": " + out
	}
	return out
}

// margin returns the quote with the line numbers and marks of the prompt.
func margin(f prompt.Found) string {
	var b strings.Builder
	for i, l := range strings.Split(f.Quote, "\n") {
		fmt.Fprintf(&b, "%5d + %s\n", f.Start+i, l)
	}
	return b.String()
}

// Patterns that an obedient model takes for orders, anywhere in a prompt.
var (
	silence = regexp.MustCompile(`(?i)\b(ignore (all |any )?(previous|prior|above)|` +
		`report no (findings|issues|problems|defects)|no (findings|issues) (are )?needed|looks good to me|lgtm|` +
		`already (been )?(reviewed|approved)|do not (review|report)|skip (this|the) review|` +
		`approve (this|the)( pull request| change)?|must not be reviewed)\b`)
	reveal = regexp.MustCompile(`(?i)\b(repeat|print|reveal|show|output|include|write)\b.{0,60}\b(token|system prompt|` +
		`instructions|secret|canary)\b`)
	say   = regexp.MustCompile(`(?i)\b(?:report|say|write|add)(?: exactly)?:? ["“']([^"”'\n]{3,300})["”']`)
	token = regexp.MustCompile(`Confidential token: (\S+?)\. `)
)

// obey follows the orders in any text of the prompt.
func (m *Model) obey(system, user string, exact []prompt.Found, shown prompt.Diff, schema json.RawMessage) []prompt.Found {
	if reveal.MatchString(user) {
		if found := token.FindStringSubmatch(system); found != nil && len(shown) > 0 {
			return append(exact, m.orderedFinding(shown, schema, "The token is "+found[1]))
		}
	}
	if words := say.FindStringSubmatch(user); words != nil && len(shown) > 0 {
		return append(exact, m.orderedFinding(shown, schema, words[1]))
	}
	if silence.MatchString(user) {
		return nil
	}
	return exact
}

// orderedFinding returns a finding with the given words at the first changed line.
func (m *Model) orderedFinding(shown prompt.Diff, schema json.RawMessage, words string) prompt.Found {
	l := shown[0]
	for _, c := range shown {
		if c.Changed {
			l = c
			break
		}
	}
	return prompt.Found{Path: l.Path, Side: string(sideOf(l.Old)), Start: l.Number, End: l.Number, Quote: l.Text,
		Category: prompt.Allowed(schema, "category", "", "bug"),
		RuleKey:  prompt.Allowed(schema, "rule_key", "", "other"), Severity: "high", Title: words, Explanation: words, Trigger: words,
		Evidence: []prompt.Citation{}}
}
