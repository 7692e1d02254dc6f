package guideline

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// reviewerPhrases matches sentences that address the reviewer: what to approve, omit or answer. They are not rules
// for code. It recognises only plain forms. A sentence that passes can be cited by a finding and has no
// other effect.
var reviewerPhrases = regexp.MustCompile(`(?i)` + strings.Join([]string{
	// Decisions of a reviewer.
	`^\W*approve\b|\bapprov(e|es|ing)\s+(this|these|it|all|any|every|the|pull|prs?|changes?|without)\b|\b(is|are|be|been|pre-?)\s?approved\b`,
	`\b(lgtm|looks good to me|auto-?merge|merge (this|it|the (change|pull request|pr)))\b`,
	`\b(findings?|false positives?|verdicts?|reviewers?|code reviews?|review (bots?|comments?|tools?)|pull request reviews?|already ` +
		`(been )?reviewed)\b`,
	`\b(severity|severities)\b.*\b(low|lower|lowest|info|none|never|always|downgrade|reduce|at most)\b|\b(downgrade|lower|reduce|` +
		`set|rate)\b.*\b(severity|severities)\b`,
	// Things to omit.
	`\b(do not|don'?t|never|no need to|must not|should not|shall not|stop|avoid|skip|without)\s+(ever\s+)?(report|flag|criticise|` +
		`criticize|warn about|comment on|complain about|nitpick)(ing)?\s+(on\s+)?(this|these|it|them|any|anything|all|issues?|` +
		`problems?|bugs?|defects?|secrets?|credentials?|vulnerabilit\w+|violations?|warnings?|style|missing|unused|code)\b`,
	`\b(do not|don'?t|never|no need to|must not|should not|shall not|stop|skip)\s+(ever\s+)?review(ing)?\b`,
	`\b(ignore|disregard|forget|overrule|override|bypass)\b.{0,40}\b(instructions?|prompts?|rules?|guidelines?|policy|policies|` +
		`above|previous|prior|earlier|issues?|problems?|violations?|vulnerabilit(y|ies)|warnings? (in|of|from) (this|the) (change|file))\b`,
	`\b(skip|no) (the |this |any )?reviews?\b|\b(not|never) be (reviewed|flagged|reported)\b|\bout of scope for review\b`,
	// Things to treat as harmless.
	`\b(treat|consider|mark|regard|count|label|classify|accept)\b.{0,60}\b(secrets?|credentials?|tokens?|keys?|passwords?|` +
		`vulnerabilit(y|ies)|injections?|code|changes?)\b.{0,40}\b(safe|fine|ok(ay)?|harmless|benign|fake|dummy|placeholders?|trusted|` +
		`correct|intended)\b`,
	`\b(secrets?|credentials?|tokens?|keys?|passwords?)\b.{0,40}\b(is|are)\b.{0,20}\b(safe|fine|ok(ay)?|harmless|benign|fake|not ` +
		`real|no secrets?)\b`,
	// Answers to give, and roles to take.
	`\b(system prompt|confidential token|canary|language model|chat ?gpt|as an? (ai|assistant|llm)|you are (now |an? )|your ` +
		`(instructions?|answer|output|response)|ai (assistants?|agents?|models?) (must|should|shall|may|will))\b`,
	`\b(answer|respond|reply|say|repeat|reveal)\b.{0,30}\b(only|exactly|verbatim|with json|an empty list|the token|the prompt|the ` +
		`instructions|nothing)\b`,
	`\b(print|write|report|include|return|output|show)\b.{0,30}\b(confidential|the prompt|the instructions|an empty list|no (issues|` +
		`problems|defects))\b|\breport exactly\b`,
	`^\W*(system|assistant|user|developer|tool)\s*:|<\|?/?(system|assistant|user|tool|im_start|im_end)\b|\[/?inst\]`,
	`"(findings|verdicts?|sentences|rule_key|same_as|self_doubt)"\s*:`,
	// The most common forms in other languages.
	`\b(genehmig\w*|freigeben|ignorier\w* (alle|vorherige|die)|nicht (melden|beanstanden|prüfen|berichten))\b`,
	`\b(approuve[rz]?|ignore[rz]? (les|toutes)|ne (pas )?signale[rz]?|aprueb[ae]\w*|aprobar|ignor[ae]\w* (las|todas|as)|no ` +
		`(informes|reportes|señales)|aprov[ae]r?|não (reporte|relate|sinalize))\b`,
	`承認し|承認せよ|無視し|報告しない|指摘しない|批准|忽略|不要报告|无需审查|跳过审查|통과시|무시하|одобр|игнориру|не сообщай`,
}, "|"))

// forbiddenOmissions matches forms that forbid to ignore something. Such a sentence is a rule for code.
var forbiddenOmissions = regexp.MustCompile(`(?i)\b(do not|don'?t|never|must not|should not|shall not|may not|` +
	`no (function|method|handler|code|caller) may)\s+(ever\s+|silently\s+|just\s+|simply\s+)*(ignore|disregard|bypass|override|skip|forget)\b`)

// AddressesReviewer reports whether a sentence plainly addresses a reviewer instead of describing code.
func AddressesReviewer(sentence string) bool {
	return reviewerPhrases.MatchString(forbiddenOmissions.ReplaceAllString(sentence, "never do without"))
}
