package guideline

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// defects matches words for what a review reports.
const defects = `\b(missing|absent|lack(s|ing)?|un(checked|handled|validated|escaped|saniti[sz]ed|authenticated|protected|bounded|used)|` +
	`insecure|unsafe|hard-?cod(ed|ing)|weak|plain-?text|injections?|vulnerab\w+|issues?|problems?|defects?|bugs?|races?|` +
	`leaks?|errors?|warnings?|` +
	`panics?|overflows?|violations?|secrets?|credentials?|passwords?|tokens?|sql|xss|checks?|validations?|authori[sz]ation|authentication)\b`

// harmless matches words that call something harmless.
const harmless = `(acceptable|accepted|permitted|permissible|tolerated|tolerable|allowed|harmless|benign|fine|ok(ay)?|safe|trusted|` +
	`intended|intentional|legitimate|irrelevant|fake|not real|out of scope|by design|good enough|no (problem|issue|concern|` +
	`bug|defect|risk)s?|` +
	`not (a |an )?(problem|issue|concern|bug|defect|risk)s?)\b`

// protections matches words for what keeps a problem away.
const protections = `\b(validat|check|authori[sz]|authenticat|encrypt|hash|mask|redact|escap|saniti[sz]|verif|permission|signature)\w*`

// unneeded matches words that say that something may be left out. Before a noun they often mean something else.
const (
	unneeded = `(optional|voluntary|unnecessary|redundant|needless|superfluous|unneeded|dispensable|pointless)\b`
	required = `(required|needed|necessary|mandatory|compulsory|obligatory|imperative)\b`
	areNot   = `(is|are|was|be)(n'?t| not| never| no longer)\s+(\w+\s+){0,2}?` + required
	isUnused = `\b(is|are|be|being|remains?|stays?|as|seems?)\s+(\w+\s+){0,2}?` + unneeded
)

// excusing matches sentences that call a problem of the code acceptable, or ask to leave it out. It recognises only plain forms.
var excusing = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(do not|don'?t|never|no need to|must not|should not|shall not|stop|avoid|without)\s+(ever\s+)?(flag|criticise|criticize|complain|` +
		`nitpick|remark|worry|bother|object|comment (on|about)|warn|mention|raise (an? )?(issue|concern|problem|finding)s?|` +
		`report\b.{0,40}` + defects + `)`,
	`\b(ignor(e|es|ed|ing)|disregard\w*|overlook\w*|tolerat(e|es|ed|ing)|accept(s|ed|ing)?|allow(s|ed|ing)?|permit(s|ted|ting)?|excus\w+|` +
		`forgiv\w+|condon\w+|waiv\w+|skip(s|ped|ping)?|exempt\w*)\b.{0,60}` + defects,
	defects + `.{0,60}\b(ignored|disregarded|overlooked|excused|forgiven|waived|skipped|exempt(ed)?|left out|omitted)\b`,
	`\b(treat|consider|regard|count|mark|label|classif|deem|view)\w*\b.{0,100}\b` + harmless,
	`\b(is|are|be|being|remains?|stays?|counts? as|as)\s+(\w+\s+){0,3}?` + harmless,
	`\b(needs?|requires?|deserves?)\s+(no|not|neither)\b|\b(does|do)(n'?t| not) (need|require|matter|count|have to)\b|\bneedn'?t\b`,
	`\b(may|can|might|could|should) (all )?(stay|remain|be (left|kept|ignored|skipped|omitted|missing))\b|` +
		`\b(leave|keep) .{0,30}\bas (is|it is|they are)\b`,
	protections + `[^.;]{0,60}(` + isUnused + `|\b` + areNot + `)`,
	`(` + isUnused + `|\b` + areNot + `|\bno (need|requirement|reason|obligation|duty))\s+(to|for|that)\s+(\w+\s+){0,3}?` + protections,
	`\b(nobody|no[ -]one|no (caller|handler|code|function|method))\s+(has|have|needs?)\s+to\s+(\w+\s+)?` + protections,
	`\b(won'?t|will not|never) (fix|be fixed)\b|\bfalse alarms?\b|\bnot worth\b|\b(is|are) (just |only )?noise\b|\bno (big )?deal\b`,
	// The most common forms in other languages.
	`\b(akzeptabel|erlaubt|in ordnung|unbedenklich|(kein|nicht als) (problem|fehler)|ignorier\w*|tolerier\w*|zulässig|harmlos)\b`,
	`\b(acceptables?|autorisée?s?|tolérée?s?|sans (danger|risque)|aceptables?|permitid[ao]s?|toler(ar|ado|ada)s?|aceitáve(l|is)|` +
		`não é problema)\b`,
	`没问题|可以接受|允许|可忽略|問題ありません|問題ない|許容|許可|괜찮|허용|допустим|разреш|` +
		`не проблема`,
}, "|"))

// forbidding matches forms with the words of excusing that forbid something or have another meaning.
var forbidding = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`\b(do not|don'?t|never|must not|should not)\s+(treat|consider|regard|count|mark|deem)\b[^.;]{0,60}\b` + harmless,
	`\b(do not|don'?t|does not|never|must not|should not|shall not|cannot|can'?t|no (function|method|handler|code|caller) may|` +
		`is not|are not|isn'?t|aren'?t|be not|not)\s+(be\s+|ever\s+|silently\s+|just\s+|simply\s+)*(ignor(e|ed)|disregard(ed)?|` +
		`overlook(ed)?|tolerated?|accept(ed)?|allow(ed)?|permit(ted)?|skip(ped)?|treat|consider(ed)?|regard(ed)?|count|mark|deem(ed)?|` +
		`left out|omitted|acceptable|permissible|tolerable|fine|ok(ay)?|safe|trusted|harmless)\b`,
	`\b(not|n't|never|hardly)\s+(\w+\s+)?` + unneeded,
	`\b((that|which)|(if|whether)(\s+\w+){1,3})\s+((is|are)\s+` + unneeded + `|` + areNot + `)`, // says which ones are meant
	`\bonly\b.{0,60}\b(is|are|be) (allowed|accepted|permitted|safe)\b|\bsafe for (concurrent|parallel)\b|` +
		`\bno \w+( \w+)? (is|are) (allowed|accepted|permitted|safe)\b`,
}, "|"))

// Excuses reports whether a sentence plainly calls a problem of code acceptable, or asks a reviewer to leave it out. It also reports
// true for some harmless rules that allow something.
func Excuses(sentence string) bool {
	return excusing.MatchString(forbidding.ReplaceAllString(sentence, "never do"))
}
