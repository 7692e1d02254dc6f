package engine

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/assay-dev/assay/internal/regexp"
)

// judgements are words and phrases that no synopsis may have: praise, approval, and words to readers or programs. They cost some
// honest sentences, such as one about code that is safe for threads; such a review has no synopsis.
var judgements = withFolded(append(strings.Fields(`
	safe safely safer secure securely harmless benign approve approved approves approval lgtm mergeable flawless perfect perfectly
	correct correctly excellent great good trustworthy trusted reviewed verified audited bulletproof please you your reviewer reviewers
	ignore disregard skip dismiss

	sicher sichere sicheren sicherer sicheres unbedenklich unbedenkliche harmlos harmlose fehlerfrei fehlerfreie korrekt korrekte korrekten
	einwandfrei einwandfreie unproblematisch perfekt gut genehmigt genehmigen freigegeben freigeben bitte ignorieren ignoriere

	sûr sûre sûrs sûres inoffensif inoffensive approuver approuvé approuvée approuvez correct correcte correctement parfait parfaite
	excellente fiable impeccable ignorez

	seguro segura seguros seguras inofensivo inofensiva aprobar aprobado aprobada apruebe apruébalo apruébelo correcto correcta
	correctamente perfecto perfecta excelente confiable impecable ignora

	aprovar aprovado aprovada aprove aprovem correto correta corretamente perfeito perfeita confiável impecável`),
	"error free", "risk free", "looks fine", "looks ok", "looks okay", "well written", "well tested", "fully tested",
	"high quality", "ready to", "merge it", "merge this", "merge now", "can be merged", "false positive", "false positives",
	"false alarm", "false alarms", "fehlalarm", "fehlalarme", "falscher alarm", "falsch positiv", "falsch positives", "faux positif",
	"faux positifs", "fausse alerte", "fausses alertes", "falso positivo", "falsos positivos", "falsa alarma", "falso alarme",
	"listo para", "pronto para", "prêt à", "bereit zum", "kann gemergt"))

// A negation before a defect denies that there is something to find: "without any known issues". A word of absence also does so
// behind the defect: "free of bugs", "bug-free".
var (
	absences  = strings.Fields(`free none frei libre libres livre livres exempt exempte`)
	negations = withFolded(slices.Concat(absences, strings.Fields(`no not nor never without zero nothing doesn don isn hasn
		kein keine keinen keiner keinerlei ohne nicht aucun aucune sans pas ningún ninguna sin nenhum nenhuma sem não`)))
	defects = withFolded(strings.Fields(`issue issues problem problems bug bugs error errors defect defects risk risks vulnerability
		vulnerabilities concern concerns finding findings regression regressions flaw flaws fault faults
		probleme problemen fehler fehlern mangel mängel mängeln befunde bedenken risiko risiken schwachstelle schwachstellen
		problème problèmes erreur erreurs défaut défauts risque risques vulnérabilité vulnérabilités danger
		problema problemas fallo fallos riesgo riesgos errores defecto defectos vulnerabilidad vulnerabilidades
		erro erros defeito defeitos risco riscos falha falhas vulnerabilidade`))
	reviews = strings.Fields(`review reviews reviewing`) // beside a negation they send the reader away
)

// unspacedJudgements are the same for languages without spaces between words.
var unspacedJudgements = strings.Fields(`
	安全 承認 問題あり 問題はあり 問題な 問題は見つ 問題が見つ 正しい 正しく 正確 完璧 無害 欠陥な 欠陥はあり バグな バグはあり 優れた マージ可 マージして
	レビュー不要 レビューは不要 無視して 誤検知 誤検出 偽陽性

	批准 没有问题 没问题 无问题 未发现问题 正确 完美 无害 可以合并 优秀 没有错误 无错误 没有缺陷 无缺陷 没有风险 无风险 可靠 審核 审核通过
	沒有問題 沒問題 無問題 未發現問題 正確 完美 無害 可以合併 優秀 沒有錯誤 無錯誤 沒有缺陷 無缺陷 沒有風險 無風險 可靠
	请忽略 請忽略 无需审查 無需審查 误报 誤報 假阳性 假陽性`)

var (
	// plainCode matches a code span that is the name of something, with what stands around it.
	plainCode = regexp.MustCompile("(^|[^\\pL\\pN`*])`[\\pL_][\\pL\\pN_.]*`($|[^\\pL\\pN`*])")
	// brokenWord matches a word that hides among signs or digits: "s4fe", "sa**fe", "L.G.T.M".
	brokenWord = regexp.MustCompile("\\p{Latin}[\\pN*`]+\\p{Latin}|(?:^|[^\\pL\\pN])\\p{Latin}(?:[^\\pL\\pN]\\p{Latin}){2,}(?:$|[^\\pL\\pN])")
	// joinedSentences matches the end of a sentence without a space behind it: "a sum.No".
	joinedSentences = regexp.MustCompile(`\s\S*\p{Ll}[.!?…]\p{Lu}`)
	// botApproval matches a command of bots that merge changes.
	botApproval = regexp.MustCompile(`(?i)(?:^|\s)r\+`)
	hyphens     = strings.NewReplacer("-", "", "_", "", "'", "", "’", "")
)

// hasJudgement reports whether a text has a word of praise or approval, in any of our languages, denies defects, speaks to the
// reader, or hides words among signs.
func hasJudgement(text string) bool {
	if brokenWord.MatchString(plainCode.ReplaceAllString(text, "$1 $2")) || botApproval.MatchString(text) {
		return true
	}
	lower := strings.ToLower(text)
	for _, form := range []string{lower, foldLetters(text), hyphens.Replace(foldLetters(text))} {
		words := strings.FieldsFunc(form, func(r rune) bool { return !unicode.IsLetter(r) })
		line := " " + strings.Join(words, " ") + " "
		if slices.ContainsFunc(judgements, func(j string) bool { return strings.Contains(line, " "+j+" ") }) || deniesDefects(words) {
			return true
		}
	}
	together := strings.Join(strings.FieldsFunc(norm.NFKC.String(lower), func(r rune) bool { return !unicode.IsLetter(r) }), "")
	return slices.ContainsFunc(unspacedJudgements, func(j string) bool { return strings.Contains(together, j) })
}

// deniesDefects reports whether words deny defects, or the need of a review.
func deniesDefects(words []string) bool {
	near := func(list []string, from, to int) bool {
		return slices.ContainsFunc(words[max(from, 0):min(to, len(words))], func(w string) bool { return slices.Contains(list, w) })
	}
	for i, word := range words {
		if slices.Contains(negations, word) && (near(defects, i+1, i+4) || near(reviews, i-3, i+4)) ||
			slices.Contains(absences, word) && near(defects, i-1, i) {
			return true
		}
	}
	return false
}

// foldLetters returns a text in lower case and base letters: "Sûre" becomes "sure".
func foldLetters(text string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.M, r) {
			return -1
		}
		return r
	}, norm.NFKD.String(text)))
}

// withFolded returns words and their folded forms, except the one that is also a frequent word of French.
func withFolded(words []string) []string {
	out := slices.Clone(words)
	for _, w := range words {
		if f := foldLetters(w); f != "sur" {
			out = append(out, f)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(out)))
}
