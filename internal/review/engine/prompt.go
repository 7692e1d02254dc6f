package engine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the findings that one answer may hold beside those that it was told are known: six for 300 changed lines, and one more
// for each further 50, up to what an answer has room for (design choices; [ask.DefaultMaxOutput]).
const (
	minFindings     = 6
	maxFindings     = 10
	linesPerFinding = 50
)

// maxOverstep is how many times as many findings of one answer go on, because models overstep what they are told. An answer with more
// is no review of its part.
const maxOverstep = 2

// mostFindings returns the most findings of one answer about a part of the change.
func mostFindings(c change.Chunk) int {
	return min(max((c.ChangedLines()+linesPerFinding-1)/linesPerFinding, minFindings), maxFindings)
}

// generateSystem is the system text of a generation call. It is the same for all
// calls of a review: what differs between parts of the change stands in the
// message, and the keys of rules in the schema that goes beside it.
func generateSystem(g ask.Guard, language string) string {
	text := textOf("generate", "{most}", strconv.Itoa(minFindings), "{places}", strconv.Itoa(maxFurther))
	return ask.SystemText("generate", text+ask.LanguageRule(language), g)
}

// verifySystem is the system text of a verification call: by the text verify or
// refute with notes on the claims that follow, with tools within a bound or, where that is "", without.
func verifySystem(g ask.Guard, text, language, bound string, notes ...string) string {
	text = textOf(text) + ask.LanguageRule(language)
	for _, name := range notes {
		text += textOf(name)
	}
	if bound != "" {
		text += "\n" + ask.PromptText("tools", "{bound}", bound)
	}
	return ask.SystemText("verify", text, g)
}

// generateUser is the message of a generation call: rules, earlier findings,
// context and diff, which all calls over a part of the change share, then what the
// pass looks for, where it begins, and, for some, the author's claims.
func generateUser(g ask.Guard, k chunkKey) llm.Message {
	var b strings.Builder
	writeRules(&b, g, k.Rules)
	if k.Earlier != "" {
		b.WriteString(textOf("earlier"))
	}
	for _, block := range []struct{ label, text string }{
		{"reported before", k.Earlier},
		{"other changed declarations, not shown here", k.Index},
		{"surrounding code, unchanged, for understanding only", k.Context},
	} {
		if block.text != "" {
			b.WriteString(g.Wrap(block.label, block.text))
			b.WriteByte('\n')
		}
	}
	b.WriteString(g.Wrap("change to review", k.Body))
	shared := b.Len()
	b.WriteString("\nlens: " + k.Lens + "\n" + k.Look)
	if k.Most > minFindings {
		fmt.Fprintf(&b, "At most %d findings this time, not %d.\n", k.Most, minFindings)
	}
	if k.Start != "" {
		b.WriteString("Others look at it from its beginning. Begin here, go on to the end, and look at what stands before it last:\n" +
			g.Wrap("where to begin", k.Start))
	}
	if k.Found != "" {
		b.WriteString(textOf("found") + g.Wrap("found by another pass", k.Found))
	}
	if k.Describes {
		b.WriteString(textOf("synopsis"))
	}
	b.WriteString(authorBlock(g, PullRequest{Title: k.Title, Body: k.Text}.claims()))
	return llm.Message{Role: llm.User, Text: b.String(), Shared: shared}
}
