package engine

import (
	"math"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/review/ask"
)

// severityWords are the words of the scales that models and tools use, also in the
// languages of reviews.
var severityWords = ask.WordTable(map[domain.Severity]string{
	domain.Critical: "critical crit blocker blocking fatal emergency catastrophic showstopper urgent p0 s0 s1 sev0 sev1 " +
		"kritisch critique crítico crítica critico critica 致命 致命的 危急",
	domain.High: "high major error err errors serious severe important danger p1 s2 sev2 " +
		"hoch schwer schwerwiegend fehler élevé élevée haute majeur majeure grave alto alta erro 高 高い 高危 重大 严重 重要",
	domain.Medium: "medium med moderate warning warn warnings mid middle normal average p2 s3 sev3 " +
		"mittel warnung moyen moyenne modéré modérée medio media médio média moderado 中 中等 中危 中程度 警告",
	domain.Low: "low minor small weak p3 s4 sev4 niedrig gering faible bas basse mineur mineure bajo baja baixo baixa menor 低 低い 低危 轻微 軽微",
	domain.Info: "info information informational informative note notice hint trivial nit nitpick nits style cosmetic suggestion optional " +
		"negligible none debug p4 p5 s5 sev5 hinweis información informação 情報 信息 提示",
})

// severityMarks are signs that stand in place of words.
var severityMarks = []struct {
	marks    string
	severity domain.Severity
}{
	{"⛔🚨💥☠🛑", domain.Critical},
	{"🔴❌❗‼🔥", domain.High},
	{"🟠🟡⚠🔶🔸", domain.Medium},
	{"🟢🔵🔷🔹", domain.Low},
	{"⚪💡ℹ📝", domain.Info},
}

var (
	severityToken = regexp.MustCompile(`\p{L}+(?::?[ _-]?\d+\b)?|\d+(?:\.\d+)?`)
	ofScale       = regexp.MustCompile(`(\d+(?:[.,]\d+)?)\s*(?:/|of|out of)\s*(\d+)`)
	percent       = regexp.MustCompile(`^(\d+(?:\.\d+)?)\s*%$`)
	number10      = regexp.MustCompile(`(?:^|[^\w.-])(\d{1,2}(?:\.\d+)?)$`)
	denied        = regexp.MustCompile(`\b(not|non|isn't|no|never|nicht|kein|keine|pas|sin|sem|não)\b`)
)

// maxSeverity is the longest text in which a severity is looked for, in bytes: a
// sentence may name several.
const maxSeverity = 80

// readSeverity reads a severity by its own name, a word or a number of another scale,
// or a sign. It returns false where none is meant for sure.
func readSeverity(said string) (domain.Severity, bool) {
	if s, ok := domain.ParseSeverity(strings.TrimSpace(said)); ok {
		return s, true
	}
	text := strings.ToLower(strings.TrimSpace(said))
	if text == "" || len(text) > maxSeverity || denied.MatchString(text) {
		return domain.Info, false
	}
	if m := ofScale.FindStringSubmatch(text); m != nil {
		return readFraction(m[1], m[2])
	}
	if m := percent.FindStringSubmatch(text); m != nil {
		return readFraction(m[1], "100")
	}
	for _, token := range severityToken.FindAllString(text, -1) {
		word := strings.NewReplacer(" ", "", ":", "", "_", "", "-", "", "severity", "sev", "priority", "p", "prio", "p").Replace(token)
		if s, ok := severityWords[word]; ok {
			return s, true
		}
		if s, ok := severityWords[strings.TrimRight(word, "0123456789")]; ok && !strings.HasPrefix(word, "p") {
			return s, true
		}
	}
	for _, m := range severityMarks {
		if strings.ContainsAny(text, m.marks) {
			return m.severity, true
		}
	}
	if m := number10.FindStringSubmatch(text); m != nil {
		return readBareNumber(m[1])
	}
	return domain.Info, false
}

// readFraction reads a number of a scale that ends with another number, by the bands of CVSS.
func readFraction(number, most string) (domain.Severity, bool) {
	n, err := strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	m, err2 := strconv.ParseFloat(most, 64)
	if err != nil || err2 != nil || m <= 0 || n > m {
		return domain.Info, false
	}
	switch s := n / m; {
	case s >= 0.9:
		return domain.Critical, true
	case s >= 0.7:
		return domain.High, true
	case s >= 0.4:
		return domain.Medium, true
	case s > 0.2:
		return domain.Low, true
	}
	return domain.Info, true
}

// readBareNumber reads a number without its scale. One from 6 on, or with a fraction, is of
// ten. A scale of five has no known direction: the graver reading counts,
// because the verifier lowers a severity that is too high, and no stage raises a lost one.
func readBareNumber(text string) (domain.Severity, bool) {
	n, err := strconv.ParseFloat(text, 64)
	switch {
	case err != nil || n > 10:
		return domain.Info, false
	case n > 5 || n != math.Trunc(n):
		return readFraction(text, "10")
	case n == 3:
		return domain.Medium, true
	case n == 2 || n == 4:
		return domain.High, true
	}
	return domain.Critical, true
}

// categoryWords are other words for the categories that a model may use.
var categoryWords = ask.WordTable(map[domain.Category]string{
	domain.CategoryBug: "bug bugs correctness logic logical error errors defect fault functional functionality crash reliability runtime " +
		"robustness behavior behaviour validation edgecase nullpointer arithmetic",
	domain.CategorySecurity: "security vulnerability vulnerabilities vuln injection xss sqlinjection auth authentication " +
		"authorization authz " +
		"privacy crypto cryptography secure safety",
	domain.CategoryPerformance: "performance perf efficiency optimization optimisation speed memory scalability latency resource resources",
	domain.CategoryConcurrency: "concurrency concurrent race races racecondition deadlock thread threading threadsafety async parallelism " +
		"synchronization locking",
	domain.CategoryAPI:  "api apis contract compatibility breaking breakingchange interface backwardcompatibility",
	domain.CategoryTest: "test tests testing coverage testcoverage",
	domain.CategoryMaintainability: "maintainability maintenance style readability quality codequality refactor refactoring " +
		"complexity codesmell " +
		"smell design architecture cleanup convention conventions duplication naming bestpractice bestpractices",
	domain.CategoryDocs: "docs doc documentation comment comments docstring",
	domain.CategoryRule: "rule rules guideline guidelines policy",
})

// readCategory reads a category by its own name or another word; "" where it is neither.
func readCategory(said domain.Category) domain.Category {
	whole := strings.Map(ask.Letter, string(said))
	if c, ok := categoryWords[whole]; ok {
		return c
	}
	for _, word := range strings.FieldsFunc(string(said), func(r rune) bool { return ask.Letter(r) < 0 }) {
		if c, ok := categoryWords[strings.ToLower(word)]; ok {
			return c
		}
	}
	return ""
}

// The other words of verdicts.
var (
	verdictWords = ask.WordTable(map[domain.Verdict]string{
		domain.VerdictConfirmed: "confirmed confirm confirms true valid yes truepositive correct real verified proven proved accurate",
		domain.VerdictRefuted: "refuted refute refutes false invalid no falsepositive disproved disproven incorrect rejected wrong notabug " +
			"notanissue",
		domain.VerdictUnproven: "unproven unproved unclear uncertain unknown unsure inconclusive undetermined unconfirmed unverified notproven " +
			"notconfirmed cannotverify notsure partial partiallyconfirmed plausible possible likely",
	})
	scopeWords = ask.WordTable(map[string]string{
		"introduced": "introduced new introduces", "exacerbated": "exacerbated worsened madeworse",
		"pre_existing": "preexisting existing old", "unrelated": "unrelated",
	})
	reachWords = ask.WordTable(map[string]string{"yes": "yes true reachable", "no": "no false unreachable",
		"unknown": "unknown unclear unsure"})
)
