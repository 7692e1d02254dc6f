package ask

import (
	"encoding/hex"
	"io"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
)

// Guard holds the random strings that fence untrusted text in prompts. A value serves any number of calls, and is
// safe for concurrent use.
type Guard struct {
	Fence  string // delimits untrusted text
	Canary string // must never come back
}

// NewGuard returns a guard with strings from a source of random bytes. It panics if the source ends.
func NewGuard(random io.Reader) Guard {
	var b [24]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic(err) // crypto/rand never returns an error, and a measurement passes an endless source
	}
	return Guard{Fence: "DATA-" + hex.EncodeToString(b[:8]), Canary: "cnry" + hex.EncodeToString(b[8:])}
}

// Wrap puts untrusted text between the delimiters. Text from before the request cannot contain the random delimiter;
// Wrap removes it in any case.
func (g Guard) Wrap(label, text string) string {
	text = strings.ReplaceAll(text, g.Fence, "")
	return "<" + g.Fence + " " + label + ">\n" + strings.TrimRight(text, "\n") + "\n</" + g.Fence + ">\n"
}

// Leaked reports whether an answer carries the canary, in any letter case and with anything between its characters.
func (g Guard) Leaked(answer string) bool {
	return strings.Contains(change.Alphanumeric(answer), g.Canary)
}

// Safety returns the paragraph of a system text that tells the model which parts are data. An answer that
// repeats the paragraph's token has repeated the instructions, and is discarded.
func (g Guard) Safety() string { return PromptText("safety", "{fence}", g.Fence, "{token}", g.Canary) }

// SystemText returns the system text of a stage: its name, its text, the paragraph of [Guard.Safety], and
// the form of the answer. The schema is a field of the request. The codec of a provider that does not show schemas to
// its models puts it into this text.
func SystemText(stage, text string, g Guard) string {
	return "stage: " + stage + "\n\n" + text + "\n" + g.Safety() + "\nAnswer with one JSON object by the schema and nothing else.\n"
}

// languageTag is the form of the BCP 47 tags that a prompt repeats.
var languageTag = regexp.MustCompile(`^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)

// LanguageRule returns the sentence that asks for titles and explanations in a language. A tag of another form counts
// as English.
func LanguageRule(tag string) string {
	if !languageTag.MatchString(tag) {
		tag = "en"
	}
	return "- Write titles, explanations, triggers and notes in the language with the tag " + tag + ".\n"
}
