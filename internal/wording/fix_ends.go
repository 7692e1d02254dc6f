package wording

// Why a fix run ended without a delivery: [FixEnds]. They follow the keys of keys_fix_runs.go.
const (
	FixEndMoved Key = iota + SayFixRole + 1
	FixEndClosed
	FixEndOff
	FixEndModel // 0 last message
	FixEndNotOpen
	FixEndDecided
	FixEndPull // 0 branch
	FixEndGivenUp
	FixEndCrashed
)

var englishFixEnds = table{
	FixEndMoved: {Other: "The head of the pull request moved, so that the edits do not belong to it any more. Ask again after " +
		"its review."},
	FixEndClosed:  {Other: "The pull request was closed."},
	FixEndOff:     {Other: "The policy of the repository does not allow this delivery any more."},
	FixEndModel:   {Other: "The model did not answer in time: {0}"},
	FixEndNotOpen: {Other: "The chosen findings are not open any more."},
	FixEndDecided: {Other: "A finding is not open any more, so that the edits were not delivered together. Ask again for the " +
		"open ones."},
	FixEndPull: {Other: "The host refused the pull request. The commit is on the branch {0}: open the pull request, or " +
		"delete the branch."},
	FixEndGivenUp: {Other: "It was given up after too many errors. The operator of the instance finds the errors in the dead " +
		"letters."},
	FixEndCrashed: {Other: "It was given up, because its workers died again and again."},
}

var germanFixEnds = table{
	FixEndMoved: {Other: "Der Head des Pull Requests hat sich bewegt, sodass die Änderungen nicht mehr zu ihm gehören. Fragen " +
		"Sie nach seinem Review noch einmal."},
	FixEndClosed:  {Other: "Der Pull Request wurde geschlossen."},
	FixEndOff:     {Other: "Die Richtlinie des Repositorys erlaubt diese Lieferung nicht mehr."},
	FixEndModel:   {Other: "Das Modell hat nicht rechtzeitig geantwortet: {0}"},
	FixEndNotOpen: {Other: "Die gewählten Befunde sind nicht mehr offen."},
	FixEndDecided: {Other: "Ein Befund ist nicht mehr offen, daher wurden die Änderungen nicht zusammen geliefert. Fragen Sie " +
		"für die offenen noch einmal."},
	FixEndPull: {Other: "Der Host hat den Pull Request abgelehnt. Der Commit steht auf dem Branch {0}: Öffnen Sie den Pull " +
		"Request, oder löschen Sie den Branch."},
	FixEndGivenUp: {Other: "Der Lauf wurde nach zu vielen Fehlern aufgegeben. Der Betreiber der Instanz findet die Fehler bei " +
		"den aufgegebenen Jobs."},
	FixEndCrashed: {Other: "Der Lauf wurde aufgegeben, weil seine Worker immer wieder abstürzten."},
}

var frenchFixEnds = table{
	FixEndMoved: {Other: "La tête de la pull request a bougé, et les modifications ne lui correspondent plus. Redemandez " +
		"après sa relecture."},
	FixEndClosed:  {Other: "La pull request a été fermée."},
	FixEndOff:     {Other: "La politique du dépôt n’autorise plus cette livraison."},
	FixEndModel:   {Other: "Le modèle n’a pas répondu à temps\u00a0: {0}"},
	FixEndNotOpen: {Other: "Les problèmes choisis ne sont plus ouverts."},
	FixEndDecided: {Other: "Un problème n’est plus ouvert, et les modifications n’ont pas été livrées ensemble. Redemandez pour " +
		"ceux qui sont ouverts."},
	FixEndPull: {Other: "L’hébergeur a refusé la pull request. Le commit est sur la branche {0}\u00a0: ouvrez la pull " +
		"request, ou supprimez la branche."},
	FixEndGivenUp: {Other: "L’exécution a été abandonnée après trop d’erreurs. L’exploitant de l’instance les trouve parmi les " +
		"tâches abandonnées."},
	FixEndCrashed: {Other: "L’exécution a été abandonnée, car ses processus se sont arrêtés plusieurs fois."},
}

var spanishFixEnds = table{
	FixEndMoved: {Other: "La punta del pull request se ha movido, y los cambios ya no corresponden a ella. Vuelva a pedirlo " +
		"después de su revisión."},
	FixEndClosed:  {Other: "El pull request se cerró."},
	FixEndOff:     {Other: "La política del repositorio ya no permite esta entrega."},
	FixEndModel:   {Other: "El modelo no respondió a tiempo: {0}"},
	FixEndNotOpen: {Other: "Los hallazgos elegidos ya no están abiertos."},
	FixEndDecided: {Other: "Un hallazgo ya no está abierto, y los cambios no se entregaron juntos. Vuelva a pedirlo para los " +
		"abiertos."},
	FixEndPull: {Other: "El servicio de código rechazó el pull request. El commit está en la rama {0}: abra el pull request " +
		"o borre la rama."},
	FixEndGivenUp: {Other: "Se abandonó tras demasiados errores. Quien opera la instancia los encuentra entre los trabajos " +
		"abandonados."},
	FixEndCrashed: {Other: "Se abandonó porque sus procesos se interrumpieron una y otra vez."},
}

var portugueseFixEnds = table{
	FixEndMoved: {Other: "O topo do pull request se moveu, e as alterações não correspondem mais a ele. Peça de novo depois " +
		"da revisão."},
	FixEndClosed:  {Other: "O pull request foi fechado."},
	FixEndOff:     {Other: "A política do repositório não permite mais esta entrega."},
	FixEndModel:   {Other: "O modelo não respondeu a tempo: {0}"},
	FixEndNotOpen: {Other: "Os apontamentos escolhidos não estão mais abertos."},
	FixEndDecided: {Other: "Um apontamento não está mais aberto, e as alterações não foram entregues juntas. Peça de novo para " +
		"os abertos."},
	FixEndPull: {Other: "O serviço de código recusou o pull request. O commit está no branch {0}: abra o pull request ou " +
		"apague o branch."},
	FixEndGivenUp: {Other: "A execução foi abandonada depois de erros demais. Quem opera a instância os encontra entre os jobs " +
		"abandonados."},
	FixEndCrashed: {Other: "A execução foi abandonada porque seus processos morreram repetidamente."},
}

var japaneseFixEnds = table{
	FixEndMoved:   {Other: "プルリクエストの先頭が動いたため、この編集はもう対応しません。そのレビューの後で、もう一度依頼してください。"},
	FixEndClosed:  {Other: "プルリクエストが閉じられました。"},
	FixEndOff:     {Other: "リポジトリのポリシーは、この形での提供を許可しなくなりました。"},
	FixEndModel:   {Other: "モデルが時間内に応答しませんでした：{0}"},
	FixEndNotOpen: {Other: "選ばれた指摘はもう開いていません。"},
	FixEndDecided: {Other: "指摘の一つがもう開いていないため、編集をまとめて提供しませんでした。開いている指摘について、もう一度依頼してください。"},
	FixEndPull:    {Other: "ホストがプルリクエストを拒否しました。コミットはブランチ {0} にあります。プルリクエストを開くか、ブランチを削除してください。"},
	FixEndGivenUp: {Other: "エラーが多すぎたため、打ち切りました。インスタンスの運用者は、打ち切られたジョブの一覧でエラーを確認できます。"},
	FixEndCrashed: {Other: "ワーカーが繰り返し停止したため、打ち切りました。"},
}

var chineseFixEnds = table{
	FixEndMoved:   {Other: "拉取请求的最新提交已变化，这些修改不再与之对应。请在其评审之后再次请求。"},
	FixEndClosed:  {Other: "拉取请求已关闭。"},
	FixEndOff:     {Other: "仓库的策略不再允许这种交付方式。"},
	FixEndModel:   {Other: "模型未在规定时间内响应：{0}"},
	FixEndNotOpen: {Other: "所选问题已不再开放。"},
	FixEndDecided: {Other: "有一个问题已不再开放，因此未将这些修改一并交付。请对仍开放的问题再次请求。"},
	FixEndPull:    {Other: "托管平台拒绝了拉取请求。提交位于分支 {0}：请打开拉取请求，或删除该分支。"},
	FixEndGivenUp: {Other: "错误过多，已放弃。实例的运维人员可在已放弃的任务中查看这些错误。"},
	FixEndCrashed: {Other: "工作进程反复中断，已放弃。"},
}
