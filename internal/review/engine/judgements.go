package engine

import "strings"

// judgements are words and phrases that no synopsis may have: praise, approval, and words to the reader. They cost some honest
// sentences, such as one about code that is safe for threads; such a review has no synopsis.
var judgements = append(strings.Fields(`
	safe safely safer secure securely harmless benign approve approved approves approval lgtm mergeable flawless perfect perfectly
	correct correctly excellent great good trustworthy trusted reviewed verified audited bulletproof please you your reviewer reviewers

	sicher sichere sicheren sicherer sicheres unbedenklich unbedenkliche harmlos harmlose fehlerfrei fehlerfreie korrekt korrekte korrekten
	einwandfrei einwandfreie unproblematisch perfekt gut genehmigt genehmigen freigegeben freigeben bitte

	sûr sûre sûrs sûres inoffensif inoffensive approuver approuvé approuvée approuvez correct correcte correctement parfait parfaite
	excellente fiable impeccable

	seguro segura seguros seguras inofensivo inofensiva aprobar aprobado aprobada apruebe apruébalo apruébelo correcto correcta
	correctamente perfecto perfecta excelente confiable impecable

	aprovar aprovado aprovada aprove aprovem correto correta corretamente perfeito perfeita confiável impecável`),
	"bug free", "error free", "risk free", "looks fine", "looks ok", "looks okay", "well written", "well tested", "fully tested",
	"high quality", "ready to", "merge it", "merge this", "can be merged", "listo para", "pronto para", "prêt à", "bereit zum", "kann gemergt")

// negations and defects together deny that there is something to find: "without any known issues".
var (
	negations = strings.Fields(`no without zero never kein keine keinen keiner keinerlei ohne aucun aucune sans ningún ninguna sin nenhum
		nenhuma sem`)
	defects = strings.Fields(`issue issues problem problems bug bugs error errors defect defects risk risks vulnerability vulnerabilities
		concern concerns
		finding findings regression regressions flaw flaws fault faults probleme fehler mängel befunde bedenken risiko risiken
		schwachstellen problème problèmes erreur erreurs défaut défauts risque risques danger problema problemas fallo fallos riesgo riesgos
		errores defecto defectos erro erros defeito defeitos risco riscos`)
)

// unspacedJudgements are the same for languages without spaces between words.
var unspacedJudgements = strings.Fields(`安全 承認 問題あり 問題はあり 問題な 正しい 正しく 正確 完璧 無害 欠陥な 欠陥はあり バグな バグはあり 優れた マージ可 マージして
	批准 没有问题 没问题 无问题 未发现问题 正确 完美 无害 可以合并 优秀 没有错误 无错误 没有缺陷 无缺陷 没有风险 无风险 可靠 審核 审核通过`)
