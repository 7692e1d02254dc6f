package wording

// Why a finding has no fix. They follow the keys of keys_checks.go, in the order of the reasons of package fix.
const (
	FixTooManyFindings Key = iota + NothingRanOutside + 1
	FixNotPlaced
	FixNoModel
	FixNoFix
	FixBadAnswer
	FixModelRefused
	FixTooLong
	FixBudgetUsedUp
	FixPathInvalid
	FixPathMissing
	FixPathExcluded
	FixPathSettings
	FixPathCI
	FixPathLock
	FixPathGuidelines
	FixPathLink
	FixPathSubmodule
	FixPathGenerated
	FixPathBinary
	FixUnrelated
	FixSearchMissing
	FixSearchAmbiguous
	FixOverlapping
	FixTooLarge
	FixRunFull
	FixRedacted
	FixNoCode
	FixRemoves
	FixDisables
	FixWeakensTest
	FixSwallowsError
	FixAddsSwitch
	FixAddsAccess
	FixBreaksSyntax
	FixAddsSecret
	FixAddsHidden
	FixAddsFinding
	FixUnchecked
	FixStillThere
	FixNotRefuted
	FixNotProven
	FixMakesWorse
	FixNotCheckable

	keys // number of keys
)

var englishFixes = table{
	FixTooManyFindings: {Other: "A run mends 20 findings at most; request another run for this one."},
	FixNotPlaced:       {Other: "The finding has no place in the new version of a file."},
	FixNoModel:         {Other: "No model is configured."},
	FixNoFix:           {Other: "The model proposes no change for this finding."},
	FixBadAnswer:       {Other: "The model's answer could not be used."},
	FixModelRefused:    {Other: "The model or its provider refused the request."},
	FixTooLong:         {Other: "The code is longer than the model's context."},
	FixBudgetUsedUp:    {Other: "The budget for models ran out before this finding was mended."},
	FixPathInvalid:     {Other: "The model named a path that leads out of the repository or is malformed."},
	FixPathMissing:     {Other: "The change names a file that the pull request's head does not have."},
	FixPathExcluded:    {Other: "The policy excludes the file from reviews, so fixes leave it alone."},
	FixPathSettings:    {Other: "Fixes never change the settings file of the reviewer."},
	FixPathCI:          {Other: "Fixes never change definitions of CI."},
	FixPathLock:        {Other: "Fixes never change lock files."},
	FixPathGuidelines:  {Other: "Fixes never change instructions for reviewers or assistants."},
	FixPathLink:        {Other: "The path is a symbolic link or leads through one."},
	FixPathSubmodule:   {Other: "The path belongs to a submodule."},
	FixPathGenerated:   {Other: "The file is generated or third-party code."},
	FixPathBinary:      {Other: "The file is not text in UTF-8, or is larger than 512 KiB."},
	FixUnrelated:       {Other: "The change edits code that the finding does not concern."},
	FixSearchMissing:   {Other: "The model's change does not fit the file: the text to replace is not in it."},
	FixSearchAmbiguous: {Other: "The model's change is ambiguous: the text to replace stands in the file more than once."},
	FixOverlapping:     {Other: "The change overlaps another one on the same lines."},
	FixTooLarge:        {Other: "The change exceeds 5 files, 120 lines or 32 KiB."},
	FixRunFull: {Other: "Together with the fixes before it, the change exceeds 5 files, 120 " +
		"lines or 32 KiB; request another run for this finding."},
	FixRedacted:      {Other: "The change would write the placeholder of a secret into the file."},
	FixNoCode:        {Other: "The change alters only comments or white space."},
	FixRemoves:       {Other: "The change removes or empties a function or a type, or removes a condition."},
	FixDisables:      {Other: "The change makes code unreachable or a condition constant."},
	FixWeakensTest:   {Other: "The change makes a test check less."},
	FixSwallowsError: {Other: "The change drops an error instead of reporting it."},
	FixAddsSwitch:    {Other: "The change adds a comment or mark that switches a check off."},
	FixAddsAccess:    {Other: "The change adds a powerful call or an address that the file did not have."},
	FixBreaksSyntax:  {Other: "The parser does not accept the file after the change."},
	FixAddsSecret:    {Other: "The change adds a secret."},
	FixAddsHidden:    {Other: "The change adds invisible or look-alike characters."},
	FixAddsFinding:   {Other: "A deterministic check reports a new finding in the change."},
	FixUnchecked:     {Other: "The checks could not read the changed file within their bounds."},
	FixStillThere:    {Other: "The check that found the problem still reports it."},
	FixNotRefuted:    {Other: "The verifier does not agree that the change mends the finding."},
	FixNotProven:     {Other: "The verifier gave no quote of the new lines that proves the fix."},
	FixMakesWorse:    {Other: "A second look at the edited functions found a problem that the change brings."},
	FixNotCheckable:  {Other: "A fault of the program ended the checks of this change."},
}

var germanFixes = table{
	FixTooManyFindings: {Other: "Ein Lauf behebt höchstens 20 Befunde; fordern Sie für diesen einen weiteren an."},
	FixNotPlaced:       {Other: "Der Befund hat keine Stelle in der neuen Version einer Datei."},
	FixNoModel:         {Other: "Es ist kein Modell eingerichtet."},
	FixNoFix:           {Other: "Das Modell schlägt für diesen Befund keine Änderung vor."},
	FixBadAnswer:       {Other: "Die Antwort des Modells war nicht verwendbar."},
	FixModelRefused:    {Other: "Das Modell oder sein Anbieter hat die Anfrage abgelehnt."},
	FixTooLong:         {Other: "Der Code ist länger als der Kontext des Modells."},
	FixBudgetUsedUp:    {Other: "Das Budget für Modelle war aufgebraucht, bevor dieser Befund behoben war."},
	FixPathInvalid:     {Other: "Das Modell nannte einen Pfad, der aus dem Repository führt oder fehlerhaft ist."},
	FixPathMissing:     {Other: "Die Änderung nennt eine Datei, die der Head des Pull Requests nicht hat."},
	FixPathExcluded:    {Other: "Die Richtlinie nimmt die Datei von Reviews aus, daher bleibt sie unverändert."},
	FixPathSettings:    {Other: "Korrekturen ändern nie die Einstellungsdatei des Reviewers."},
	FixPathCI:          {Other: "Korrekturen ändern nie CI-Definitionen."},
	FixPathLock:        {Other: "Korrekturen ändern nie Lock-Dateien."},
	FixPathGuidelines:  {Other: "Korrekturen ändern nie Anweisungen für Reviewer oder Assistenten."},
	FixPathLink:        {Other: "Der Pfad ist ein symbolischer Link oder führt durch einen."},
	FixPathSubmodule:   {Other: "Der Pfad gehört zu einem Submodul."},
	FixPathGenerated:   {Other: "Die Datei ist generierter oder fremder Code."},
	FixPathBinary:      {Other: "Die Datei ist kein Text in UTF-8 oder größer als 512 KiB."},
	FixUnrelated:       {Other: "Die Änderung bearbeitet Code, den der Befund nicht betrifft."},
	FixSearchMissing:   {Other: "Die Änderung passt nicht zur Datei: Der zu ersetzende Text kommt nicht vor."},
	FixSearchAmbiguous: {Other: "Die Änderung ist mehrdeutig: Der zu ersetzende Text kommt mehrmals vor."},
	FixOverlapping:     {Other: "Die Änderung überschneidet sich mit einer anderen in denselben Zeilen."},
	FixTooLarge:        {Other: "Die Änderung überschreitet 5 Dateien, 120 Zeilen oder 32 KiB."},
	FixRunFull: {Other: "Mit den vorherigen Korrekturen überschreitet die Änderung 5 Dateien, " +
		"120 Zeilen oder 32 KiB; fordern Sie für diesen Befund einen weiteren Lauf an."},
	FixRedacted:      {Other: "Die Änderung würde den Platzhalter eines Geheimnisses in die Datei schreiben."},
	FixNoCode:        {Other: "Die Änderung betrifft nur Kommentare oder Leerraum."},
	FixRemoves:       {Other: "Die Änderung entfernt oder leert eine Funktion oder einen Typ, oder entfernt eine Bedingung."},
	FixDisables:      {Other: "Die Änderung macht Code unerreichbar oder eine Bedingung konstant."},
	FixWeakensTest:   {Other: "Durch die Änderung prüft ein Test weniger."},
	FixSwallowsError: {Other: "Die Änderung verwirft einen Fehler, statt ihn zu melden."},
	FixAddsSwitch:    {Other: "Die Änderung fügt einen Kommentar oder eine Markierung ein, die eine Prüfung abschaltet."},
	FixAddsAccess:    {Other: "Die Änderung fügt einen mächtigen Aufruf oder eine Adresse ein, die die Datei nicht hatte."},
	FixBreaksSyntax:  {Other: "Der Parser akzeptiert die Datei nach der Änderung nicht."},
	FixAddsSecret:    {Other: "Die Änderung fügt ein Geheimnis ein."},
	FixAddsHidden:    {Other: "Die Änderung fügt unsichtbare oder verwechselbare Zeichen ein."},
	FixAddsFinding:   {Other: "Eine deterministische Prüfung meldet in der Änderung einen neuen Befund."},
	FixUnchecked:     {Other: "Die Prüfungen konnten die geänderte Datei innerhalb ihrer Grenzen nicht lesen."},
	FixStillThere:    {Other: "Die Prüfung, die das Problem fand, meldet es weiterhin."},
	FixNotRefuted:    {Other: "Der Verifizierer bestätigt nicht, dass die Änderung den Befund behebt."},
	FixNotProven:     {Other: "Der Verifizierer hat die Korrektur nicht mit einem Zitat der neuen Zeilen belegt."},
	FixMakesWorse:    {Other: "Ein zweiter Blick auf die bearbeiteten Funktionen fand ein Problem, das die Änderung mitbringt."},
	FixNotCheckable:  {Other: "Ein Programmfehler hat die Prüfung dieser Änderung beendet."},
}

var frenchFixes = table{
	FixTooManyFindings: {Other: "Une exécution corrige 20 constats au plus ; demandez-en une autre pour celui-ci."},
	FixNotPlaced:       {Other: "Le constat n'a pas d'emplacement dans la nouvelle version d'un fichier."},
	FixNoModel:         {Other: "Aucun modèle n'est configuré."},
	FixNoFix:           {Other: "Le modèle ne propose aucune modification pour ce constat."},
	FixBadAnswer:       {Other: "La réponse du modèle n'a pas pu être utilisée."},
	FixModelRefused:    {Other: "Le modèle ou son fournisseur a refusé la requête."},
	FixTooLong:         {Other: "Le code dépasse le contexte du modèle."},
	FixBudgetUsedUp:    {Other: "Le budget des modèles s'est épuisé avant la correction de ce constat."},
	FixPathInvalid:     {Other: "Le modèle a donné un chemin qui sort du dépôt ou qui est mal formé."},
	FixPathMissing:     {Other: "La modification cite un fichier absent de la tête de la pull request."},
	FixPathExcluded:    {Other: "La politique exclut ce fichier des revues ; les corrections n'y touchent pas."},
	FixPathSettings:    {Other: "Les corrections ne modifient jamais le fichier de réglages du relecteur."},
	FixPathCI:          {Other: "Les corrections ne modifient jamais les définitions de CI."},
	FixPathLock:        {Other: "Les corrections ne modifient jamais les fichiers de verrouillage."},
	FixPathGuidelines:  {Other: "Les corrections ne modifient jamais les consignes des relecteurs ou des assistants."},
	FixPathLink:        {Other: "Le chemin est un lien symbolique ou passe par un tel lien."},
	FixPathSubmodule:   {Other: "Le chemin appartient à un sous-module."},
	FixPathGenerated:   {Other: "Le fichier est du code généré ou tiers."},
	FixPathBinary:      {Other: "Le fichier n'est pas du texte en UTF-8 ou dépasse 512 Kio."},
	FixUnrelated:       {Other: "La modification touche du code que le constat ne concerne pas."},
	FixSearchMissing:   {Other: "La modification ne correspond pas au fichier : le texte à remplacer n'y figure pas."},
	FixSearchAmbiguous: {Other: "La modification est ambiguë : le texte à remplacer figure plusieurs fois."},
	FixOverlapping:     {Other: "La modification en chevauche une autre sur les mêmes lignes."},
	FixTooLarge:        {Other: "La modification dépasse 5 fichiers, 120 lignes ou 32 Kio."},
	FixRunFull: {Other: "Avec les corrections précédentes, la modification dépasse 5 fichiers, " +
		"120 lignes ou 32 Kio ; demandez une autre exécution pour ce constat."},
	FixRedacted:      {Other: "La modification écrirait dans le fichier le substitut d'un secret."},
	FixNoCode:        {Other: "La modification ne touche que des commentaires ou des espaces."},
	FixRemoves:       {Other: "La modification supprime ou vide une fonction ou un type, ou supprime une condition."},
	FixDisables:      {Other: "La modification rend du code inaccessible ou une condition constante."},
	FixWeakensTest:   {Other: "Avec la modification, un test vérifie moins de choses."},
	FixSwallowsError: {Other: "La modification ignore une erreur au lieu de la signaler."},
	FixAddsSwitch:    {Other: "La modification ajoute un commentaire ou une marque qui désactive un contrôle."},
	FixAddsAccess:    {Other: "La modification ajoute un appel puissant ou une adresse que le fichier n'avait pas."},
	FixBreaksSyntax:  {Other: "L'analyseur syntaxique refuse le fichier après la modification."},
	FixAddsSecret:    {Other: "La modification ajoute un secret."},
	FixAddsHidden:    {Other: "La modification ajoute des caractères invisibles ou trompeurs."},
	FixAddsFinding:   {Other: "Un contrôle déterministe signale un nouveau constat dans la modification."},
	FixUnchecked:     {Other: "Les contrôles n'ont pas pu lire le fichier modifié dans leurs limites."},
	FixStillThere:    {Other: "Le contrôle qui a trouvé le problème le signale toujours."},
	FixNotRefuted:    {Other: "Le vérificateur ne confirme pas que la modification corrige le constat."},
	FixNotProven:     {Other: "Le vérificateur n'a pas prouvé la correction par une citation des nouvelles lignes."},
	FixMakesWorse:    {Other: "Un second examen des fonctions modifiées a trouvé un problème introduit par la modification."},
	FixNotCheckable:  {Other: "Une erreur du programme a interrompu les contrôles de cette modification."},
}

var spanishFixes = table{
	FixTooManyFindings: {Other: "Una ejecución corrige como máximo 20 hallazgos; pida otra para este."},
	FixNotPlaced:       {Other: "El hallazgo no tiene lugar en la versión nueva de ningún archivo."},
	FixNoModel:         {Other: "No hay ningún modelo configurado."},
	FixNoFix:           {Other: "El modelo no propone ningún cambio para este hallazgo."},
	FixBadAnswer:       {Other: "La respuesta del modelo no se pudo utilizar."},
	FixModelRefused:    {Other: "El modelo o su proveedor rechazó la solicitud."},
	FixTooLong:         {Other: "El código es más largo que el contexto del modelo."},
	FixBudgetUsedUp:    {Other: "El presupuesto para modelos se agotó antes de corregir este hallazgo."},
	FixPathInvalid:     {Other: "El modelo indicó una ruta que sale del repositorio o está mal formada."},
	FixPathMissing:     {Other: "El cambio nombra un archivo que no existe en la cabecera del pull request."},
	FixPathExcluded:    {Other: "La política excluye el archivo de las revisiones, por lo que las correcciones no lo tocan."},
	FixPathSettings:    {Other: "Las correcciones nunca cambian el archivo de ajustes del revisor."},
	FixPathCI:          {Other: "Las correcciones nunca cambian definiciones de CI."},
	FixPathLock:        {Other: "Las correcciones nunca cambian archivos de bloqueo."},
	FixPathGuidelines:  {Other: "Las correcciones nunca cambian instrucciones para revisores o asistentes."},
	FixPathLink:        {Other: "La ruta es un enlace simbólico o pasa por uno."},
	FixPathSubmodule:   {Other: "La ruta pertenece a un submódulo."},
	FixPathGenerated:   {Other: "El archivo es código generado o de terceros."},
	FixPathBinary:      {Other: "El archivo no es texto en UTF-8 o supera 512 KiB."},
	FixUnrelated:       {Other: "El cambio edita código que no concierne al hallazgo."},
	FixSearchMissing:   {Other: "El cambio no encaja en el archivo: el texto que debe reemplazarse no aparece."},
	FixSearchAmbiguous: {Other: "El cambio es ambiguo: el texto que debe reemplazarse aparece más de una vez."},
	FixOverlapping:     {Other: "El cambio se solapa con otro en las mismas líneas."},
	FixTooLarge:        {Other: "El cambio supera 5 archivos, 120 líneas o 32 KiB."},
	FixRunFull: {Other: "Junto con las correcciones anteriores, el cambio supera 5 archivos, " +
		"120 líneas o 32 KiB; pida otra ejecución para este hallazgo."},
	FixRedacted:      {Other: "El cambio escribiría en el archivo el marcador de un secreto."},
	FixNoCode:        {Other: "El cambio solo altera comentarios o espacios."},
	FixRemoves:       {Other: "El cambio elimina o vacía una función o un tipo, o elimina una condición."},
	FixDisables:      {Other: "El cambio hace inalcanzable algún código o constante una condición."},
	FixWeakensTest:   {Other: "Con el cambio, una prueba comprueba menos."},
	FixSwallowsError: {Other: "El cambio descarta un error en lugar de notificarlo."},
	FixAddsSwitch:    {Other: "El cambio añade un comentario o una marca que desactiva una comprobación."},
	FixAddsAccess:    {Other: "El cambio añade una llamada con amplios poderes o una dirección que el archivo no tenía."},
	FixBreaksSyntax:  {Other: "El analizador sintáctico no acepta el archivo después del cambio."},
	FixAddsSecret:    {Other: "El cambio añade un secreto."},
	FixAddsHidden:    {Other: "El cambio añade caracteres invisibles o engañosos."},
	FixAddsFinding:   {Other: "Una comprobación determinista notifica un hallazgo nuevo en el cambio."},
	FixUnchecked:     {Other: "Las comprobaciones no pudieron leer el archivo modificado dentro de sus límites."},
	FixStillThere:    {Other: "La comprobación que encontró el problema lo sigue notificando."},
	FixNotRefuted:    {Other: "El verificador no confirma que el cambio corrija el hallazgo."},
	FixNotProven:     {Other: "El verificador no probó la corrección con una cita de las líneas nuevas."},
	FixMakesWorse:    {Other: "Una segunda mirada a las funciones editadas encontró un problema que trae el cambio."},
	FixNotCheckable:  {Other: "Un fallo del programa interrumpió las comprobaciones de este cambio."},
}

var portugueseFixes = table{
	FixTooManyFindings: {Other: "Uma execução corrige no máximo 20 achados; solicite outra para este."},
	FixNotPlaced:       {Other: "O achado não tem lugar na nova versão de nenhum arquivo."},
	FixNoModel:         {Other: "Nenhum modelo está configurado."},
	FixNoFix:           {Other: "O modelo não propõe nenhuma alteração para este achado."},
	FixBadAnswer:       {Other: "A resposta do modelo não pôde ser usada."},
	FixModelRefused:    {Other: "O modelo ou seu provedor recusou a solicitação."},
	FixTooLong:         {Other: "O código é maior que o contexto do modelo."},
	FixBudgetUsedUp:    {Other: "O orçamento para modelos acabou antes de este achado ser corrigido."},
	FixPathInvalid:     {Other: "O modelo indicou um caminho que sai do repositório ou está malformado."},
	FixPathMissing:     {Other: "A alteração nomeia um arquivo que não existe no head do pull request."},
	FixPathExcluded:    {Other: "A política exclui o arquivo das revisões, portanto as correções não o alteram."},
	FixPathSettings:    {Other: "As correções nunca alteram o arquivo de configurações do revisor."},
	FixPathCI:          {Other: "As correções nunca alteram definições de CI."},
	FixPathLock:        {Other: "As correções nunca alteram arquivos de lock."},
	FixPathGuidelines:  {Other: "As correções nunca alteram instruções para revisores ou assistentes."},
	FixPathLink:        {Other: "O caminho é um link simbólico ou passa por um."},
	FixPathSubmodule:   {Other: "O caminho pertence a um submódulo."},
	FixPathGenerated:   {Other: "O arquivo é código gerado ou de terceiros."},
	FixPathBinary:      {Other: "O arquivo não é texto em UTF-8 ou excede 512 KiB."},
	FixUnrelated:       {Other: "A alteração edita código que não diz respeito ao achado."},
	FixSearchMissing:   {Other: "A alteração não se encaixa no arquivo: o texto a substituir não está nele."},
	FixSearchAmbiguous: {Other: "A alteração é ambígua: o texto a substituir aparece mais de uma vez."},
	FixOverlapping:     {Other: "A alteração se sobrepõe a outra nas mesmas linhas."},
	FixTooLarge:        {Other: "A alteração excede 5 arquivos, 120 linhas ou 32 KiB."},
	FixRunFull: {Other: "Com as correções anteriores, a alteração excede 5 arquivos, 120 " +
		"linhas ou 32 KiB; solicite outra execução para este achado."},
	FixRedacted:      {Other: "A alteração gravaria no arquivo o marcador de um segredo."},
	FixNoCode:        {Other: "A alteração muda apenas comentários ou espaços."},
	FixRemoves:       {Other: "A alteração remove ou esvazia uma função ou um tipo, ou remove uma condição."},
	FixDisables:      {Other: "A alteração torna um código inalcançável ou uma condição constante."},
	FixWeakensTest:   {Other: "Com a alteração, um teste verifica menos."},
	FixSwallowsError: {Other: "A alteração descarta um erro em vez de relatá-lo."},
	FixAddsSwitch:    {Other: "A alteração adiciona um comentário ou uma marca que desativa uma verificação."},
	FixAddsAccess:    {Other: "A alteração adiciona uma chamada poderosa ou um endereço que o arquivo não tinha."},
	FixBreaksSyntax:  {Other: "O analisador sintático não aceita o arquivo após a alteração."},
	FixAddsSecret:    {Other: "A alteração adiciona um segredo."},
	FixAddsHidden:    {Other: "A alteração adiciona caracteres invisíveis ou enganosos."},
	FixAddsFinding:   {Other: "Uma verificação determinística relata um novo achado na alteração."},
	FixUnchecked:     {Other: "As verificações não conseguiram ler o arquivo alterado dentro de seus limites."},
	FixStillThere:    {Other: "A verificação que encontrou o problema ainda o relata."},
	FixNotRefuted:    {Other: "O verificador não confirma que a alteração corrige o achado."},
	FixNotProven:     {Other: "O verificador não comprovou a correção com uma citação das novas linhas."},
	FixMakesWorse:    {Other: "Uma segunda análise das funções editadas encontrou um problema trazido pela alteração."},
	FixNotCheckable:  {Other: "Uma falha do programa encerrou as verificações desta alteração."},
}

var japaneseFixes = table{
	FixTooManyFindings: {Other: "1 回の実行で修正できる指摘は 20 件までです。この指摘には別の実行を依頼してください。"},
	FixNotPlaced:       {Other: "この指摘は新しい版のファイルに該当箇所がありません。"},
	FixNoModel:         {Other: "モデルが設定されていません。"},
	FixNoFix:           {Other: "モデルはこの指摘に対する変更を提案しませんでした。"},
	FixBadAnswer:       {Other: "モデルの回答を使用できませんでした。"},
	FixModelRefused:    {Other: "モデルまたはその提供元が要求を拒否しました。"},
	FixTooLong:         {Other: "コードがモデルのコンテキストより長いです。"},
	FixBudgetUsedUp:    {Other: "この指摘を修正する前にモデルの予算を使い切りました。"},
	FixPathInvalid:     {Other: "モデルが示したパスはリポジトリの外を指すか、形式が正しくありません。"},
	FixPathMissing:     {Other: "変更が示すファイルはプルリクエストの最新コミットに存在しません。"},
	FixPathExcluded:    {Other: "ポリシーでレビュー対象外のファイルのため、修正しません。"},
	FixPathSettings:    {Other: "修正がレビュアーの設定ファイルを変えることはありません。"},
	FixPathCI:          {Other: "修正が CI の定義を変えることはありません。"},
	FixPathLock:        {Other: "修正がロックファイルを変えることはありません。"},
	FixPathGuidelines:  {Other: "修正がレビュアーやアシスタント向けの指示を変えることはありません。"},
	FixPathLink:        {Other: "パスがシンボリックリンクであるか、それを経由しています。"},
	FixPathSubmodule:   {Other: "パスはサブモジュールに属しています。"},
	FixPathGenerated:   {Other: "ファイルは生成されたコードまたは第三者のコードです。"},
	FixPathBinary:      {Other: "ファイルが対応する文字コードのテキストでないか、512 キビバイトを超えています。"},
	FixUnrelated:       {Other: "変更が指摘と関係のないコードを編集しています。"},
	FixSearchMissing:   {Other: "変更がファイルに合いません。置換対象のテキストが見つかりません。"},
	FixSearchAmbiguous: {Other: "変更があいまいです。置換対象のテキストが複数あります。"},
	FixOverlapping:     {Other: "変更が同じ行の別の変更と重なっています。"},
	FixTooLarge:        {Other: "変更が 5 ファイル、120 行、または 32 キビバイトを超えています。"},
	FixRunFull:         {Other: "先の修正と合わせると変更が 5 ファイル、120 行、または 32 キビバイトを超えます。この指摘には別の実行を依頼してください。"},
	FixRedacted:        {Other: "変更により秘密情報の置き換え文字列がファイルに書き込まれます。"},
	FixNoCode:          {Other: "変更はコメントまたは空白だけです。"},
	FixRemoves:         {Other: "変更が関数または型を削除するか空にする、または条件を削除しています。"},
	FixDisables:        {Other: "変更によりコードが到達不能になるか、条件が定数になります。"},
	FixWeakensTest:     {Other: "変更によりテストの検証が弱くなります。"},
	FixSwallowsError:   {Other: "変更がエラーを報告せずに無視しています。"},
	FixAddsSwitch:      {Other: "変更が検査を無効にするコメントや印を追加しています。"},
	FixAddsAccess:      {Other: "変更がファイルになかった強力な呼び出しまたはアドレスを追加しています。"},
	FixBreaksSyntax:    {Other: "変更後のファイルは構文解析できません。"},
	FixAddsSecret:      {Other: "変更が秘密情報を追加しています。"},
	FixAddsHidden:      {Other: "変更が不可視文字または紛らわしい文字を追加しています。"},
	FixAddsFinding:     {Other: "決定的な検査が変更に新しい指摘を報告しました。"},
	FixUnchecked:       {Other: "検査の上限内で変更後のファイルを読み取れませんでした。"},
	FixStillThere:      {Other: "問題を見つけた検査がまだ報告しています。"},
	FixNotRefuted:      {Other: "検証器は変更が指摘を修正するとは認めませんでした。"},
	FixNotProven:       {Other: "検証器は修正を証明する新しい行の引用を示しませんでした。"},
	FixMakesWorse:      {Other: "編集した関数の再確認で、変更による問題が見つかりました。"},
	FixNotCheckable:    {Other: "プログラムの障害により、この変更の検査が中断されました。"},
}

var chineseFixes = table{
	FixTooManyFindings: {Other: "一次运行最多修复 20 个问题；请为此问题另行发起运行。"},
	FixNotPlaced:       {Other: "此问题在文件的新版本中没有位置。"},
	FixNoModel:         {Other: "没有配置模型。"},
	FixNoFix:           {Other: "模型没有为此问题提出修改。"},
	FixBadAnswer:       {Other: "模型的回答无法使用。"},
	FixModelRefused:    {Other: "模型或其提供商拒绝了请求。"},
	FixTooLong:         {Other: "代码超过了模型的上下文长度。"},
	FixBudgetUsedUp:    {Other: "在修复此问题之前，模型预算已用完。"},
	FixPathInvalid:     {Other: "模型给出的路径指向仓库之外或格式错误。"},
	FixPathMissing:     {Other: "修改所指的文件在拉取请求的最新提交中不存在。"},
	FixPathExcluded:    {Other: "策略将该文件排除在评审之外，因此修复不会改动它。"},
	FixPathSettings:    {Other: "修复绝不会更改评审工具的设置文件。"},
	FixPathCI:          {Other: "修复绝不会更改 CI 定义。"},
	FixPathLock:        {Other: "修复绝不会更改锁定文件。"},
	FixPathGuidelines:  {Other: "修复绝不会更改给评审者或助手的说明。"},
	FixPathLink:        {Other: "该路径是符号链接或经过符号链接。"},
	FixPathSubmodule:   {Other: "该路径属于子模块。"},
	FixPathGenerated:   {Other: "该文件是生成的代码或第三方代码。"},
	FixPathBinary:      {Other: "该文件不是所支持编码的文本或超过 512 千字节。"},
	FixUnrelated:       {Other: "修改涉及与此问题无关的代码。"},
	FixSearchMissing:   {Other: "修改与文件不符：找不到要替换的文本。"},
	FixSearchAmbiguous: {Other: "修改不明确：要替换的文本出现多次。"},
	FixOverlapping:     {Other: "该修改与同一行上的另一修改重叠。"},
	FixTooLarge:        {Other: "修改超过 5 个文件、120 行或 32 千字节。"},
	FixRunFull:         {Other: "与之前的修复合计超过 5 个文件、120 行或 32 千字节；请为此问题另行发起运行。"},
	FixRedacted:        {Other: "修改会把机密的占位符写入文件。"},
	FixNoCode:          {Other: "修改只涉及注释或空白。"},
	FixRemoves:         {Other: "修改删除或清空了函数或类型，或删除了条件。"},
	FixDisables:        {Other: "修改使代码不可达或使条件恒定。"},
	FixWeakensTest:     {Other: "修改使测试的检查变弱。"},
	FixSwallowsError:   {Other: "修改丢弃了错误而没有报告。"},
	FixAddsSwitch:      {Other: "修改添加了关闭检查的注释或标记。"},
	FixAddsAccess:      {Other: "修改添加了文件中原本没有的高权限调用或地址。"},
	FixBreaksSyntax:    {Other: "修改后文件无法通过语法分析。"},
	FixAddsSecret:      {Other: "修改添加了机密。"},
	FixAddsHidden:      {Other: "修改添加了不可见或易混淆的字符。"},
	FixAddsFinding:     {Other: "确定性检查在修改中报告了新问题。"},
	FixUnchecked:       {Other: "检查无法在限度内读取修改后的文件。"},
	FixStillThere:      {Other: "发现该问题的检查仍然报告它。"},
	FixNotRefuted:      {Other: "验证器不认为修改解决了此问题。"},
	FixNotProven:       {Other: "验证器没有引用新行来证明修复。"},
	FixMakesWorse:      {Other: "对被编辑函数的二次检查发现了修改带来的问题。"},
	FixNotCheckable:    {Other: "程序故障中断了对此修改的检查。"},
}
