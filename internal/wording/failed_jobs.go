package wording

// Sentences about failed jobs: [JobLogs], [JobNotes] and [JobCauses]. They follow the keys of fix_ends.go.
const (
	JobLogOtherApp Key = iota + FixEndCrashed + 1
	JobLogStatus
	JobLogHost
	JobLogGone
	JobLogTooLarge
	JobLogForbidden
	JobsUnread
	JobsNotTold
	JobsNamesake // 0 number
	JobsOver     // 0 further jobs, 1 maximum per head, 2 maximum per hour
	JobsRepeated // 0 jobs, 1 maximum of repetitions
	JobCauseUnknown
	JobCauseMore // 0 failures, 1 number of further ones

	keys // number of keys
)

var englishFailedJobs = table{
	JobLogOtherApp:  {Other: "The check belongs to an app that keeps its log elsewhere."},
	JobLogStatus:    {Other: "It is a commit status of another system, which has a name, a line and a link only."},
	JobLogHost:      {Other: "The code host gives no logs of jobs."},
	JobLogGone:      {Other: "The host does not have the log any more, or has none."},
	JobLogTooLarge:  {Other: "The host refuses the log as too large."},
	JobLogForbidden: {Other: "The access of assay may not read logs: on GitHub the app needs the permission `actions: read`."},
	JobsUnread:      {Other: "The host has more failed jobs than assay reads."},
	JobsNotTold:     {Other: "The host does not say which jobs it requires for a merge, so every failed job counts."},
	JobsNamesake:    {Other: "Failed jobs with the name of an analysed one, which are not analysed: {0}."},
	JobsOver: {Other: "Failed jobs beyond the bounds: {0}. assay analyses at most {1} of a head and {2} of all " +
		"repositories within an hour."},
	JobsRepeated:    {Other: "Jobs whose newest failure is not analysed, because they were repeated more often than {1} times: {0}."},
	JobCauseUnknown: {Other: "The log has no failure of a tool that assay knows. Its last lines that look like an error are kept."},
	JobCauseMore:    {Other: "{0}; and {1} more"},
}

var germanFailedJobs = table{
	JobLogOtherApp: {Other: "Der Check gehört zu einer App, die ihr Protokoll anderswo aufbewahrt."},
	JobLogStatus:   {Other: "Es ist ein Commit-Status eines anderen Systems, der nur einen Namen, eine Zeile und einen Link hat."},
	JobLogHost:     {Other: "Der Code-Host gibt keine Protokolle von Jobs heraus."},
	JobLogGone:     {Other: "Der Host hat das Protokoll nicht mehr, oder es gab keines."},
	JobLogTooLarge: {Other: "Der Host lehnt das Protokoll als zu groß ab."},
	JobLogForbidden: {Other: "Der Zugang von assay darf keine Protokolle lesen: Auf GitHub braucht die App die Berechtigung " +
		"`actions: read`."},
	JobsUnread:   {Other: "Der Host hat mehr fehlgeschlagene Jobs, als assay liest."},
	JobsNotTold:  {Other: "Der Host sagt nicht, welche Jobs er für einen Merge verlangt, daher zählt jeder fehlgeschlagene Job."},
	JobsNamesake: {Other: "Fehlgeschlagene Jobs mit dem Namen eines analysierten, die nicht analysiert werden: {0}."},
	JobsOver: {Other: "Fehlgeschlagene Jobs jenseits der Grenzen: {0}. assay analysiert höchstens {1} je Head und {2} " +
		"aller Repositorys in einer Stunde."},
	JobsRepeated: {Other: "Jobs, deren neuester Fehlschlag nicht analysiert wird, weil sie öfter als {1}-mal wiederholt wurden: {0}."},
	JobCauseUnknown: {Other: "Das Protokoll enthält keinen Fehler eines Werkzeugs, das assay kennt. Seine letzten Zeilen, die " +
		"nach einem Fehler aussehen, sind aufbewahrt."},
	JobCauseMore: {Other: "{0}; und {1} weitere"},
}

var frenchFailedJobs = table{
	JobLogOtherApp: {Other: "Le contrôle appartient à une application qui garde son journal ailleurs."},
	JobLogStatus:   {Other: "C’est un statut de commit d’un autre système, qui n’a qu’un nom, une ligne et un lien."},
	JobLogHost:     {Other: "L’hébergeur ne donne pas les journaux des tâches."},
	JobLogGone:     {Other: "L’hébergeur n’a plus le journal, ou n’en a pas."},
	JobLogTooLarge: {Other: "L’hébergeur refuse le journal, trop volumineux."},
	JobLogForbidden: {Other: "L’accès d’assay ne permet pas de lire les journaux\u00a0: sur GitHub, l’application a besoin de la " +
		"permission `actions: read`."},
	JobsUnread:   {Other: "L’hébergeur a plus de tâches échouées qu’assay n’en lit."},
	JobsNotTold:  {Other: "L’hébergeur n’indique pas quelles tâches il exige pour fusionner\u00a0: chaque tâche échouée compte."},
	JobsNamesake: {Other: "Tâches échouées qui portent le nom d’une tâche analysée et ne sont pas analysées\u00a0: {0}."},
	JobsOver: {Other: "Tâches échouées au-delà des limites\u00a0: {0}. assay en analyse au plus {1} par tête et {2} par " +
		"heure pour tous les dépôts."},
	JobsRepeated: {Other: "Tâches dont le dernier échec n’est pas analysé, car elles ont été relancées plus de {1} fois\u00a0: {0}."},
	JobCauseUnknown: {Other: "Le journal ne contient aucun échec d’un outil connu d’assay. Ses dernières lignes qui ressemblent à " +
		"une erreur sont conservées."},
	JobCauseMore: {Other: "{0}\u00a0; et {1} de plus"},
}

var spanishFailedJobs = table{
	JobLogOtherApp: {Other: "La comprobación pertenece a una aplicación que guarda su registro en otro lugar."},
	JobLogStatus:   {Other: "Es un estado de commit de otro sistema, que solo tiene un nombre, una línea y un enlace."},
	JobLogHost:     {Other: "El servicio de código no entrega registros de trabajos."},
	JobLogGone:     {Other: "El servicio ya no tiene el registro, o nunca lo tuvo."},
	JobLogTooLarge: {Other: "El servicio rechaza el registro por ser demasiado grande."},
	JobLogForbidden: {Other: "El acceso de assay no puede leer registros: en GitHub la aplicación necesita el permiso `actions: " +
		"read`."},
	JobsUnread:   {Other: "El servicio tiene más trabajos fallidos de los que assay lee."},
	JobsNotTold:  {Other: "El servicio no dice qué trabajos exige para fusionar, así que cuenta cada trabajo fallido."},
	JobsNamesake: {Other: "Trabajos fallidos con el nombre de uno analizado, que no se analizan: {0}."},
	JobsOver: {Other: "Trabajos fallidos fuera de los límites: {0}. assay analiza como máximo {1} por commit y {2} por " +
		"hora en todos los repositorios."},
	JobsRepeated: {Other: "Trabajos cuyo último fallo no se analiza, porque se repitieron más de {1} veces: {0}."},
	JobCauseUnknown: {Other: "El registro no tiene ningún fallo de una herramienta que assay conozca. Se conservan sus últimas " +
		"líneas que parecen un error."},
	JobCauseMore: {Other: "{0}; y {1} más"},
}

var portugueseFailedJobs = table{
	JobLogOtherApp:  {Other: "A verificação pertence a um aplicativo que guarda seu log em outro lugar."},
	JobLogStatus:    {Other: "É um status de commit de outro sistema, que tem apenas um nome, uma linha e um link."},
	JobLogHost:      {Other: "O serviço de código não fornece logs de jobs."},
	JobLogGone:      {Other: "O serviço não tem mais o log, ou nunca o teve."},
	JobLogTooLarge:  {Other: "O serviço recusa o log por ser grande demais."},
	JobLogForbidden: {Other: "O acesso do assay não pode ler logs: no GitHub, o aplicativo precisa da permissão `actions: read`."},
	JobsUnread:      {Other: "O serviço tem mais jobs com falha do que o assay lê."},
	JobsNotTold:     {Other: "O serviço não informa quais jobs exige para o merge, portanto cada job com falha conta."},
	JobsNamesake:    {Other: "Jobs com falha que têm o nome de um analisado e não são analisados: {0}."},
	JobsOver: {Other: "Jobs com falha além dos limites: {0}. O assay analisa no máximo {1} por commit e {2} por hora em " +
		"todos os repositórios."},
	JobsRepeated: {Other: "Jobs cuja falha mais recente não é analisada, porque foram repetidos mais de {1} vezes: {0}."},
	JobCauseUnknown: {Other: "O log não tem falha de uma ferramenta que o assay conheça. Suas últimas linhas que parecem um erro " +
		"foram guardadas."},
	JobCauseMore: {Other: "{0}; e mais {1}"},
}

var japaneseFailedJobs = table{
	JobLogOtherApp:  {Other: "このチェックは、ログを別の場所に置くアプリのものです。"},
	JobLogStatus:    {Other: "別のシステムのコミットステータスで、名前と一行の説明とリンクだけがあります。"},
	JobLogHost:      {Other: "このコードホストはジョブのログを提供しません。"},
	JobLogGone:      {Other: "ホストにログが残っていないか、もともとありません。"},
	JobLogTooLarge:  {Other: "ログが大きすぎるため、ホストが拒否しました。"},
	JobLogForbidden: {Other: "接続の権限ではログを読めません。GitHub ではアプリに権限 `actions: read` が必要です。"},
	JobsUnread:      {Other: "失敗したジョブの数が、読み取る上限を超えています。"},
	JobsNotTold:     {Other: "マージに必要なジョブをホストが示さないため、失敗したすべてのジョブを対象にします。"},
	JobsNamesake:    {Other: "分析したジョブと同じ名前の失敗ジョブ（分析しません）：{0} 件。"},
	JobsOver:        {Other: "上限を超えた失敗ジョブ：{0} 件。分析するのは、先頭のコミットごとに {1} 件、全リポジトリで一時間に {2} 件までです。"},
	JobsRepeated:    {Other: "{1} 回を超えて再実行されたため、最新の失敗を分析しないジョブ：{0} 件。"},
	JobCauseUnknown: {Other: "既知のツールの失敗はログにありません。エラーらしい最後の行を残しました。"},
	JobCauseMore:    {Other: "{0}；ほか {1} 件"},
}

var chineseFailedJobs = table{
	JobLogOtherApp:  {Other: "该检查属于另一个应用，其日志保存在别处。"},
	JobLogStatus:    {Other: "这是另一个系统的提交状态，只有名称、一行说明和链接。"},
	JobLogHost:      {Other: "此代码托管平台不提供作业日志。"},
	JobLogGone:      {Other: "托管平台已没有该日志，或从未有过。"},
	JobLogTooLarge:  {Other: "日志过大，托管平台拒绝提供。"},
	JobLogForbidden: {Other: "当前访问权限无法读取日志：在 GitHub 上，应用需要权限 `actions: read`。"},
	JobsUnread:      {Other: "失败的作业多于可读取的数量。"},
	JobsNotTold:     {Other: "托管平台未说明合并需要哪些作业，因此每个失败的作业都计入。"},
	JobsNamesake:    {Other: "与已分析作业同名、未作分析的失败作业：{0} 个。"},
	JobsOver:        {Other: "超出上限的失败作业：{0} 个。每个最新提交最多分析 {1} 个，所有仓库每小时最多 {2} 个。"},
	JobsRepeated:    {Other: "重复运行超过 {1} 次、因而未分析其最近一次失败的作业：{0} 个。"},
	JobCauseUnknown: {Other: "日志中没有已知工具的失败。已保留最后几行看似错误的内容。"},
	JobCauseMore:    {Other: "{0}；另有 {1} 项"},
}
