package engine

import (
	"strings"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/markdown"
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
// long, holds an address or a mention, addresses a reviewer, excuses a problem, or names secrets without forbidding them: those are
// not rules for code.
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
		if hasAddress(text) || guideline.AddressesReviewer(text) || guideline.Excuses(text) || allowsSecrets(text) {
			return ReplyRule{}
		}
	}
	if secrets.MatchString(out.Title+"\n"+quote) && !forbidsSecrets(out.Instruction) || !forbidsEverySecret(out.Instruction) {
		return ReplyRule{}
	}
	return out
}

var (
	mentions  = regexp.MustCompile(`@[\p{L}\d_]`)
	hostPaths = regexp.MustCompile(`[\p{L}\d-]\.[\p{L}\d-]+/`)
	// secrets names what is a secret anywhere; tokens and keys often are not.
	secrets = regexp.MustCompile(`(?i)(secret|credential|pass-?words?\b|passwd|\bpwds?\b|pass-?phrase|\b(api|access|auth\w*|bearer|` +
		`refresh|session|private|` +
		`signing|encryption|ssh)[ _-]?(tokens?|keys?)\b|passw[oö]rt|kennwort|geheimnis|zugangsdaten|mots? de passe|contraseña|\bsenhas?\b|` +
		`密码|密钥|凭证|パスワード|秘密|비밀번호|парол)`)
	maybeSecrets = regexp.MustCompile(`(?i)(token|\bkeys?\b)`)
	allowing     = regexp.MustCompile(`(?i)\b(may|allow(s|ed)?|fine|ok|okay|except|unless|apart from|other than)\b`)
	sentences    = regexp.MustCompile(`[.;!?。；]\s*|\s(but|while|although)\s`)
	// forbidden matches rules about handling secrets well.
	forbidden = regexp.MustCompile(`(?i)` + strings.Join([]string{
		`\b(never|must not|should not|shall not|may not|cannot|can'?t|do not|don'?t|no (code|function|method|handler|test|file|query|` +
			`log line) (may|must|should))\s+(ever\s+)?(be\s+|to\s+)?(\w+ly\s+)?(log|print|commit|check(ed)? in|hard-?cod|stor|writ|put|` +
			`pass|keep|kept|return|expos|sen[dt]|embed|plac|sav|contain|appear|stand|includ|leak|shar|cach|us(e|ed|ing)\b|belong|show)\w*`,
		`\b(is|are) (forbidden|prohibited|banned|not allowed)\b`,
		`\b(must|are|is)\s+(always\s+|only\s+)?(be\s+)?(hashed|encrypted|masked|redacted)\b`,
	}, "|"))
	// weakening matches prohibitions of a protection of secrets.
	weakening = regexp.MustCompile(`(?i)\b(never|not|cannot|can'?t|don'?t|no (code|function|method|handler|test|file|query|log line))\b` +
		`[^.;,!?]{0,80}` + protecting + `|` + protecting + `[^.;,!?]{0,80}\b(forbidden|prohibited|banned|not allowed)\b`)
	// withoutProtection matches words for a lack of protection, and the other meaning of "check in".
	withoutProtection = regexp.MustCompile(`(?i)\b(without|lacking|before|until|(that|which) (is|are) not)\s+` +
		`((a|an|any|the|being|been|its|their)\s+)?` + protecting + `|\bcheck(s|ed|ing)? in\b`)
)

// protecting matches words for what protects secrets.
const protecting = `\b(hash|encrypt|mask|redact|validat|escap|check|salt|verif|saniti[sz])\w*`

// allowsSecrets reports whether a text names secrets together with a word that allows something. It reports true for some rules
// that forbid secrets, too, because a person can write those.
func allowsSecrets(text string) bool {
	return (secrets.MatchString(text) || maybeSecrets.MatchString(text)) && allowing.MatchString(text)
}

// forbidsSecrets reports whether a text forbids an unsafe handling of secrets, and forbids nothing that protects them. It reports
// false for some good rules, too, because a person can write those.
func forbidsSecrets(text string) bool {
	return forbidden.MatchString(text) && !weakening.MatchString(withoutProtection.ReplaceAllString(text, "plainly"))
}

// forbidsEverySecret reports whether each sentence of a text that names secrets forbids something about them.
func forbidsEverySecret(text string) bool {
	for _, s := range sentences.Split(text, -1) {
		if secrets.MatchString(s) && !forbidsSecrets(s) {
			return false
		}
	}
	return true
}

// hasAddress reports whether a text holds a web address, also one without a scheme.
func hasAddress(text string) bool {
	text = strings.ToLower(text)
	return strings.Contains(text, "://") || strings.Contains(text, "](") || hostPaths.MatchString(text) || markdown.HasAddress(text)
}
