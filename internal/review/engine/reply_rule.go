package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/guideline"
)

// Bounds of the rule that a reply states, in characters (design choices). A longer instruction is not one rule.
const (
	minReplyRule      = 10
	maxReplyRule      = 500
	maxReplyRuleTitle = 100
)

// ReplyRule is a rule that a person's reply states about code beyond the finding, in the words of a model. It has no effect.
type ReplyRule struct{ Title, Instruction string }

// rule returns the rule of an answer. It returns the zero value unless its quotation stands in the reply, and for a rule that is too
// long, holds an address or a mention, addresses a reviewer, or allows secrets: those are not rules for code.
func (a replyAnswer) rule(reply string) ReplyRule {
	out := ReplyRule{Title: clip.Runes(change.OneLine(change.TidyProse(a.RuleTitle)), maxReplyRuleTitle, "…"),
		Instruction: change.OneLine(change.TidyProse(a.Rule))}
	quote := change.OneLine(change.TidyProse(a.RuleQuote))
	n := utf8.RuneCountInString(out.Instruction)
	if n < minReplyRule || n > maxReplyRule || out.Title == "" || utf8.RuneCountInString(quote) < minReplyRule ||
		!strings.Contains(change.OneLine(reply), quote) {
		return ReplyRule{}
	}
	if mentions.MatchString(out.Title + "\n" + out.Instruction) { // the reply itself may mention the reviewer
		return ReplyRule{}
	}
	for _, text := range []string{out.Title, out.Instruction, quote} {
		if hasAddress(text) || guideline.AddressesReviewer(text) || allowsSecrets(text) {
			return ReplyRule{}
		}
	}
	return out
}

var (
	mentions  = regexp.MustCompile(`@[\p{L}\d_]`)
	hostPaths = regexp.MustCompile(`[\p{L}\d-]\.[\p{L}\d-]+/`)
	secrets   = regexp.MustCompile(`(?i)(secret|credential|password|passphrase|token|\bkeys?\b|api_?keys?\b)`)
	allowing  = regexp.MustCompile(`(?i)\b(may|allow(s|ed)?|fine|ok|okay)\b`)
)

// allowsSecrets reports whether a text names secrets together with a word that allows something. It reports true for some rules
// that forbid secrets, too, because a person can write those.
func allowsSecrets(text string) bool { return secrets.MatchString(text) && allowing.MatchString(text) }

// hasAddress reports whether a text holds a web address, also one without a scheme.
func hasAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "://") || strings.Contains(text, "www.") || strings.Contains(text, "](") ||
		hostPaths.MatchString(text)
}
