package engine

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxPerChunk is the most findings that one answer may hold beside those that it was
// told are known.
const maxPerChunk = 6

// maxKept is the most findings of one answer that go on beside such repeats: models overstep what they are told, and
// an answer with more is no review of its part.
const maxKept = 2 * maxPerChunk

// generateSystem is the system text of a generation call. It is the same for all
// calls of a review: what differs between parts of the change stands in the
// message, and the keys of rules in the schema that goes beside it.
func generateSystem(g guard, language string) string {
	return system("generate", textOf("generate", "{most}", strconv.Itoa(maxPerChunk))+inLanguage(language), g,
		"; rules of the repository, where there are some, are further values of rule_key", findingSchema(nil))
}

// verifySystem is the system text of a verification call: by the text verify or
// refute, with tools within a bound or, where that is "", without.
func verifySystem(g guard, text, language, bound string) string {
	text = textOf(text) + inLanguage(language)
	if bound != "" {
		text += "\n" + textOf("tools", "{bound}", bound)
	}
	return system("verify", text, g, "", verdictSchema())
}

// safety says what is data. The token in it lets an answer that repeats the
// instructions be recognised and thrown away.
func (g guard) safety() string { return textOf("safety", "{fence}", g.fence, "{token}", g.canary) }

// system puts a system text together.
func system(stage, text string, g guard, more string, schema json.RawMessage) string {
	return "stage: " + stage + "\n\n" + text + "\n" + g.safety() +
		"\nAnswer with one JSON object and nothing else, by this schema" + more + ":\n" + string(schema) + "\n"
}

// generateUser is the message of a generation call: rules, earlier findings,
// context and diff, which all calls over a part of the change share, then what the
// pass looks for, where it begins, and, for some, the author's claims.
func generateUser(g guard, k chunkKey) llm.Message {
	var b strings.Builder
	writeRules(&b, g, k.Rules)
	for _, block := range []struct{ label, text string }{
		{"reported before", k.Earlier},
		{"other changed declarations, not shown here", k.Index},
		{"surrounding code, unchanged, for understanding only", k.Context},
	} {
		if block.text != "" {
			b.WriteString(g.wrap(block.label, block.text))
			b.WriteByte('\n')
		}
	}
	b.WriteString(g.wrap("change to review", k.Body))
	shared := b.Len()
	b.WriteString("\nlens: " + k.Lens + "\n" + k.Look)
	if k.Start != "" {
		b.WriteString("Others look at it from its beginning. Begin here, go on to the end, and look at what stands before it last:\n" + g.wrap("where to begin", k.Start))
	}
	title, text := change.OneLine(change.CleanProse(k.Title)), change.CleanProse(k.Text)
	if title != "" || text != "" {
		b.WriteString("\nWhat the author says about the change, unverified:\n")
		b.WriteString(g.wrap("claims of the author", strings.TrimSpace("title: "+title+"\n"+text)))
	}
	return llm.Message{Role: llm.User, Text: b.String(), Shared: shared}
}

// languageTag is the form of the BCP 47 tags that a prompt repeats.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// inLanguage asks for the words of the answer in the policy's language.
func inLanguage(tag string) string {
	if !languageTag.MatchString(tag) {
		tag = "en"
	}
	return "- Write titles, explanations, triggers and notes in the language with the tag " + tag + ".\n"
}
