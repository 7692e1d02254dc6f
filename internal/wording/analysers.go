package wording

var englishAnalysers = table{
	NoticeProgramAbsent:  {Other: "These analysers did not run, because the operator has not set them up: {0}."},
	NoticeProgramSandbox: {Other: "These analysers did not run, because the system offers no sandbox for programs: {0}."},
	NoticeProgramVersion: {Other: "These analysers did not run, because their program is missing, does not start, or has another " +
		"version: {0}."},
	NoticeProgramTime:   {Other: "These analysers took longer than their limit, so their results are missing: {0}."},
	NoticeProgramMemory: {Other: "These analysers needed more memory than their limit, so their results are missing: {0}."},
	NoticeProgramReport: {Other: "The reports of these analysers cannot be read, so their results are missing: {0}."},
	NoticeRunsLeft: {One: "{0} run in a document of analysers ({1}) was not used. The page of the run names the reason.",
		Other: "{0} runs in documents of analysers ({1}) were not used. The page of the run names the reasons."},
	NoticeProgramLimit: {Other: "A limit ended these analysers, so their results are missing: {0}."},
	NoticeProgramOff:   {Other: "`.assay.yaml` switches these analysers off for the files of this change that they understand: {0}."},
	NoticeProgramTree: {Other: "These analysers need the whole tree of the repository, which goes beyond " +
		"a bound or cannot be read, so their results are missing: {0}."},
	NoticeProgramFailed: {Other: "These analysers failed, so their results are missing: {0}."},
	NoticeProgramFiles: {One: "Analysers did not get {0} file: {1}. The page of the run names the reason.",
		Other: "Analysers did not get {0} files: {1}. The page of the run names the reasons."},
}

var germanAnalysers = table{
	NoticeProgramAbsent:  {Other: "Diese Analysatoren liefen nicht, weil der Betreiber sie nicht eingerichtet hat: {0}."},
	NoticeProgramSandbox: {Other: "Diese Analysatoren liefen nicht, weil das System keine Sandbox für Programme bietet: {0}."},
	NoticeProgramVersion: {Other: "Diese Analysatoren liefen nicht, weil ihr Programm fehlt, nicht startet oder eine " +
		"andere Version hat: {0}."},
	NoticeProgramTime:   {Other: "Diese Analysatoren brauchten länger als ihre Grenze; ihre Ergebnisse fehlen: {0}."},
	NoticeProgramMemory: {Other: "Diese Analysatoren brauchten mehr Speicher als ihre Grenze; ihre Ergebnisse fehlen: {0}."},
	NoticeProgramReport: {Other: "Die Berichte dieser Analysatoren sind nicht lesbar; ihre Ergebnisse fehlen: {0}."},
	NoticeRunsLeft: {One: "{0} Lauf in einem Dokument von Analysatoren ({1}) wurde nicht verwendet. Die Seite des Laufs nennt den Grund.",
		Other: "{0} Läufe in Dokumenten von Analysatoren ({1}) wurden nicht verwendet. Die Seite des Laufs nennt die Gründe."},
	NoticeProgramLimit: {Other: "Eine Grenze hat diese Analysatoren beendet; ihre Ergebnisse fehlen: {0}."},
	NoticeProgramOff:   {Other: "`.assay.yaml` schaltet diese Analysatoren für alle Dateien dieser Änderung ab, die sie verstehen: {0}."},
	NoticeProgramTree: {Other: "Diese Analysatoren brauchen den ganzen Dateibaum des Repositorys, der eine Grenze " +
		"überschreitet oder nicht gelesen werden kann; ihre Ergebnisse fehlen: {0}."},
	NoticeProgramFailed: {Other: "Diese Analysatoren sind gescheitert; ihre Ergebnisse fehlen: {0}."},
	NoticeProgramFiles: {One: "Analysatoren bekamen {0} Datei nicht: {1}. Die Seite des Laufs nennt den Grund.",
		Other: "Analysatoren bekamen {0} Dateien nicht: {1}. Die Seite des Laufs nennt die Gründe."},
}

var spanishAnalysers = table{
	NoticeProgramAbsent:  {Other: "Estos analizadores no se ejecutaron, porque el operador no los ha configurado: {0}."},
	NoticeProgramSandbox: {Other: "Estos analizadores no se ejecutaron, porque el sistema no ofrece un entorno aislado para programas: {0}."},
	NoticeProgramVersion: {Other: "Estos analizadores no se ejecutaron, porque su programa falta, no arranca o tiene otra versión: {0}."},
	NoticeProgramTime:    {Other: "Estos analizadores tardaron más que su límite; faltan sus resultados: {0}."},
	NoticeProgramMemory:  {Other: "Estos analizadores necesitaron más memoria que su límite; faltan sus resultados: {0}."},
	NoticeProgramReport:  {Other: "Los informes de estos analizadores no se pueden leer; faltan sus resultados: {0}."},
	NoticeRunsLeft: {One: "No se usó {0} ejecución de un documento de analizadores ({1}). La página de la ejecución indica el motivo.",
		Other: "No se usaron {0} ejecuciones de documentos de analizadores ({1}). La página de la ejecución indica los motivos."},
	NoticeProgramLimit: {Other: "Un límite terminó estos analizadores; faltan sus resultados: {0}."},
	NoticeProgramOff:   {Other: "`.assay.yaml` desactiva estos analizadores para los archivos de este cambio que entienden: {0}."},
	NoticeProgramTree: {Other: "Estos analizadores necesitan el árbol completo del repositorio, que " +
		"supera un límite o no se puede leer; faltan sus resultados: {0}."},
	NoticeProgramFailed: {Other: "Estos analizadores fallaron; faltan sus resultados: {0}."},
	NoticeProgramFiles: {One: "Los analizadores no recibieron {0} archivo: {1}. La página de la ejecución indica el motivo.",
		Other: "Los analizadores no recibieron {0} archivos: {1}. La página de la ejecución indica los motivos."},
}

var frenchAnalysers = table{
	NoticeProgramAbsent: {Other: "Ces analyseurs n’ont pas été exécutés, car l’exploitant ne les a pas configurés\u00a0: {0}."},
	NoticeProgramSandbox: {Other: "Ces analyseurs n’ont pas été exécutés, car le système n’offre pas de bac à sable " +
		"pour les programmes\u00a0: {0}."},
	NoticeProgramVersion: {Other: "Ces analyseurs n’ont pas été exécutés, car leur programme manque, ne démarre pas ou " +
		"a une autre version\u00a0: {0}."},
	NoticeProgramTime:   {Other: "Ces analyseurs ont dépassé leur limite de temps\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeProgramMemory: {Other: "Ces analyseurs ont dépassé leur limite de mémoire\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeProgramReport: {Other: "Les rapports de ces analyseurs sont illisibles\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeRunsLeft: {One: "{0} exécution d’un document d’analyseurs ({1}) n’a pas été utilisée. La page de l’exécution en donne la raison.",
		Other: "{0} exécutions de documents d’analyseurs ({1}) n’ont pas été utilisées. La page de l’exécution en donne les raisons."},
	NoticeProgramLimit: {Other: "Une limite a arrêté ces analyseurs\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeProgramOff: {Other: "`.assay.yaml` désactive ces analyseurs pour les fichiers de cette modification " +
		"qu’ils comprennent\u00a0: {0}."},
	NoticeProgramTree: {Other: "Ces analyseurs ont besoin de l’arborescence entière du dépôt, qui dépasse une " +
		"limite ou ne peut pas être lue\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeProgramFailed: {Other: "Ces analyseurs ont échoué\u00a0; leurs résultats manquent\u00a0: {0}."},
	NoticeProgramFiles: {One: "Les analyseurs n’ont pas reçu {0} fichier\u00a0: {1}. La page de l’exécution en donne la raison.",
		Other: "Les analyseurs n’ont pas reçu {0} fichiers\u00a0: {1}. La page de l’exécution en donne les raisons."},
}

var japaneseAnalysers = table{
	NoticeProgramAbsent:  {Other: "運用者が設定していないため、次の解析ツールは実行されませんでした：{0}。"},
	NoticeProgramSandbox: {Other: "プログラム用のサンドボックスがこの環境にないため、次の解析ツールは実行されませんでした：{0}。"},
	NoticeProgramVersion: {Other: "プログラムがない、起動しない、または版が異なるため、次の解析ツールは実行されませんでした：{0}。"},
	NoticeProgramTime:    {Other: "制限時間を超えたため、次の解析ツールの結果がありません：{0}。"},
	NoticeProgramMemory:  {Other: "メモリの上限を超えたため、次の解析ツールの結果がありません：{0}。"},
	NoticeProgramReport:  {Other: "レポートを読み取れないため、次の解析ツールの結果がありません：{0}。"},
	NoticeRunsLeft:       {Other: "解析ツール {1} の文書にある実行 {0} 件は使用されませんでした。理由は実行のページにあります。"},
	NoticeProgramLimit:   {Other: "制限により次の解析ツールが終了し、結果がありません：{0}。"},
	NoticeProgramOff:     {Other: "`.assay.yaml` により、この変更の対象ファイルで次の解析ツールは無効です：{0}。"},
	NoticeProgramTree:    {Other: "次の解析ツールはリポジトリのツリー全体を必要としますが、上限を超えるか読み取れないため、結果がありません：{0}。"},
	NoticeProgramFailed:  {Other: "次の解析ツールは失敗し、結果がありません：{0}。"},
	NoticeProgramFiles:   {Other: "解析ツールに渡されなかったファイルが {0} 件あります：{1}。理由は実行のページにあります。"},
}

var portugueseAnalysers = table{
	NoticeProgramAbsent: {Other: "Estes analisadores não foram executados, porque o operador não os configurou: {0}."},
	NoticeProgramSandbox: {Other: "Estes analisadores não foram executados, porque o sistema não oferece um ambiente " +
		"isolado para programas: {0}."},
	NoticeProgramVersion: {Other: "Estes analisadores não foram executados, porque o programa falta, não inicia ou tem outra versão: {0}."},
	NoticeProgramTime:    {Other: "Estes analisadores demoraram mais que o limite; faltam os resultados deles: {0}."},
	NoticeProgramMemory:  {Other: "Estes analisadores precisaram de mais memória que o limite; faltam os resultados deles: {0}."},
	NoticeProgramReport:  {Other: "Os relatórios destes analisadores não podem ser lidos; faltam os resultados deles: {0}."},
	NoticeRunsLeft: {One: "{0} execução de um documento de analisadores ({1}) não foi usada. A página da execução informa o motivo.",
		Other: "{0} execuções de documentos de analisadores ({1}) não foram usadas. A página da execução informa os motivos."},
	NoticeProgramLimit: {Other: "Um limite encerrou estes analisadores; faltam os resultados deles: {0}."},
	NoticeProgramOff:   {Other: "`.assay.yaml` desativa estes analisadores para os arquivos desta alteração que eles entendem: {0}."},
	NoticeProgramTree: {Other: "Estes analisadores precisam da árvore inteira do repositório, que excede " +
		"um limite ou não pode ser lida; faltam os resultados deles: {0}."},
	NoticeProgramFailed: {Other: "Estes analisadores falharam; faltam os resultados deles: {0}."},
	NoticeProgramFiles: {One: "Os analisadores não receberam {0} arquivo: {1}. A página da execução informa o motivo.",
		Other: "Os analisadores não receberam {0} arquivos: {1}. A página da execução informa os motivos."},
}

var chineseAnalysers = table{
	NoticeProgramAbsent:  {Other: "运维人员尚未配置以下分析器，因此未运行：{0}。"},
	NoticeProgramSandbox: {Other: "系统不提供程序沙箱，因此以下分析器未运行：{0}。"},
	NoticeProgramVersion: {Other: "程序缺失、无法启动或版本不符，因此以下分析器未运行：{0}。"},
	NoticeProgramTime:    {Other: "以下分析器超出时间限制，缺少其结果：{0}。"},
	NoticeProgramMemory:  {Other: "以下分析器超出内存限制，缺少其结果：{0}。"},
	NoticeProgramReport:  {Other: "无法读取以下分析器的报告，缺少其结果：{0}。"},
	NoticeRunsLeft:       {Other: "分析器 {1} 的文档中有 {0} 个运行未被使用。运行页面说明了原因。"},
	NoticeProgramLimit:   {Other: "以下分析器因达到限制而被终止，缺少其结果：{0}。"},
	NoticeProgramOff:     {Other: "`.assay.yaml` 对此更改中可分析的文件关闭了以下分析器：{0}。"},
	NoticeProgramTree:    {Other: "以下分析器需要仓库的完整文件树，但文件树超出上限或无法读取，缺少其结果：{0}。"},
	NoticeProgramFailed:  {Other: "以下分析器运行失败，缺少其结果：{0}。"},
	NoticeProgramFiles:   {Other: "有 {0} 个文件未提供给分析器：{1}。运行页面说明了原因。"},
}
