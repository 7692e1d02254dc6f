package wording

var germanStored = table{
	PartsReviewed:  {Other: "{0} von {1} Teilen der Änderung geprüft"},
	GroupsVerified: {Other: "{0} von {1} Gruppen von Befunden nachgeprüft"},
	FilesTooLarge:  {One: "{0} Datei zu groß für die Prüfung", Other: "{0} Dateien zu groß für die Prüfung"},
	FilesUnchecked: {Other: "{0} von {1} Dateien nicht prüfbar"},
	FilesUnproven: {One: "{0} womöglich von Hand geschriebene Datei nicht gelesen",
		Other: "{0} womöglich von Hand geschriebene Dateien nicht gelesen"},
	MoreInChange:   {Other: "die Änderung hat mehr Dateien"},
	BudgetUsed:     {Other: "das Budget ist aufgebraucht"},
	NoUsableAnswer: {Other: "das Modell gab keine brauchbare Antwort (0 von {0} Teilen der Änderung)"},
	TooLong:        {Other: "die Änderung ist zu lang für den Kontext des Modells (0 von {0} Teilen)"},
	SomeParts:      {Other: "einige Teile wurden nicht geprüft"},

	WhyLargeChange:       {Other: "Änderung zu groß für ein Modell"},
	WhyLargeFile:         {Other: "Datei zu groß: nur geänderte Zeilen gelesen"},
	WhyManyFiles:         {Other: "mehr Dateien, als über den Code-Host gelesen werden: nur geänderte Zeilen gelesen"},
	WhyNotSelected:       {Other: "nicht unter den riskantesten Zeilen einer großen Änderung"},
	WhyReduced:           {Other: "verkürzte Prüfung"},
	WhyExcluded:          {Other: "durch die Richtlinie ausgeschlossen"},
	WhyNotIncluded:       {Other: "von der Richtlinie nicht erfasst"},
	WhyUnchecked:         {Other: "innerhalb der Grenzen nicht prüfbar"},
	WhyUncheckedFile:     {Other: "Datei innerhalb der Grenzen nicht prüfbar: nur geänderte Zeilen gelesen"},
	WhyChecksOnly:        {Other: "nur regelbasiert geprüft"},
	WhyTooLong:           {Other: "zu lang für das Modell"},
	WhyTooMuch:           {Other: "Änderung zu groß"},
	WhyNoAnswer:          {Other: "das Modell gab keine brauchbare Antwort"},
	WhyFault:             {Other: "nicht geprüft: ein Fehler des Programms beendete das Review dieses Teils"},
	WhyForm:              {Other: "Befunde des Modells waren nicht lesbar"},
	WhyBrokeOff:          {Other: "die Antwort des Modells brach ab"},
	WhyMore:              {Other: "das Modell fand mehr, als eine Antwort fassen darf"},
	WhyBudget:            {Other: "das Budget für Modelle ist aufgebraucht"},
	WhyWorkflow:          {Other: "Workflow zu groß oder zu tief verschachtelt für die Prüfung"},
	WhyRuleBroken:        {Other: "Syntaxfehler, sodass Regeln mit einem Codemuster nicht abgeglichen wurden"},
	WhyRuleBound:         {Other: "zu groß oder nicht verfügbar, sodass Regeln mit einem Muster nicht überall abgeglichen wurden"},
	WhyGo:                {Other: "zu groß oder zu tief verschachtelt für den Parser"},
	WhyCut:               {Other: "mehr Befunde, als eine Prüfung auflistet"},
	WhySecrets:           {Other: "mehr Zugangsdaten, als in einem Prompt ersetzt werden können"},
	WhyBinaryText:        {Other: "mehr Text in Binärdateien, als nach Zugangsdaten durchsucht wird"},
	WhyMarked:            {Other: "generiert, wie nur diese Änderung sagt"},
	WhyMinifiedHere:      {Other: "minifiziert, wie nur diese Änderung sagt"},
	WhyUnproven:          {Other: "wie generierter Code benannt, was nichts darin bestätigt"},
	WhyVendoredHere:      {Other: "fremder Code, wie nur diese Änderung sagt"},
	WhyVendoredEdit:      {Other: "fremder Code, ohne seine Paketliste geändert"},
	WhyByMark:            {Other: "generiert, wie seine eigene Kennzeichnung sagt"},
	WhyLFS:               {Other: "sein Inhalt liegt in Git LFS und wurde nicht gelesen"},
	WhyLongData:          {Other: "von langen Datenzeilen nur der Anfang gezeigt"},
	WhyOutputs:           {Other: "Ausgaben eines Notebooks nicht gezeigt"},
	WhyDeleted:           {Other: "gelöscht"},
	WhyNoLine:            {Other: "keine Zeile geändert"},
	WhyWasText:           {Other: "war Text und ist nicht mehr als Text lesbar"},
	WhyNoText:            {Other: "nicht als Text lesbar, obwohl ein Programm es ausführen kann"},
	WhyOmittedLarge:      {Other: "Änderung größer als erlaubt"},
	WhyOmittedByHost:     {Other: "Änderung vom Code-Host nicht gezeigt"},
	WhyOmittedUnreadable: {Other: "Änderung in der Form des Code-Hosts nicht lesbar"},
	WhyOmittedPath:       {Other: "ein Pfad, den kein Checkout haben kann"},
	WhyDocs:              {Other: "Dokumentation"},
	WhyGenerated:         {Other: "erzeugt"},
	WhyVendored:          {Other: "fremder Code"},
	WhyLock:              {Other: "Lock-Datei"},
	WhyMinified:          {Other: "minifiziert"},
	WhyBinary:            {Other: "binär"},
	WhyData:              {Other: "Daten"},
	WhySubmodule:         {Other: "Submodul"},
	WhySymlink:           {Other: "symbolischer Link"},

	NoticeChecksCut:    {Other: "Die regelbasierten Prüfungen fanden {0} mehr als die {1} Befunde, die eine Prüfung auflistet."},
	NoticeAnalysersCut: {Other: "Die Analysatoren fanden {0} mehr als die {1} Befunde, die eine Prüfung auflistet."},
	NoticeAnalysersFailed: {Other: "Diese Analysatoren melden, dass sie nicht fertig wurden: {0}. Ihre " +
		"Ergebnisse können unvollständig sein."},
	NoticeAnalysersLeft: {One: "{0} Ergebnis von Analysatoren ({1}) fehlt in dieser Prüfung. Die Seite des Laufs nennt den Grund.",
		Other: "{0} Ergebnisse von Analysatoren ({1}) fehlen in dieser Prüfung. Die Seite des Laufs nennt die Gründe."},
	NoticeUnexplainedModel: {Other: "Kein Modell erklärt die Ergebnisse der Analysatoren in dieser Prüfung, weil keines beteiligt " +
		"war oder die Prüfung verkürzt ist."},
	NoticeUnexplainedBudget: {Other: "Kein Modell erklärt die Ergebnisse der Analysatoren in dieser Prüfung, weil ein Budget oder " +
		"eine Grenze ausgeschöpft ist."},
	NoticeUnexplainedAnswer: {Other: "Kein Modell erklärt die Ergebnisse der Analysatoren in dieser Prüfung, weil seine Antwort " +
		"fehlte oder nicht brauchbar war."},
	NoticeUnexplainedSome: {One: "{0} Ergebnis von Analysatoren hat keine Erklärung: Das Modell gab keine, die gezeigt werden kann.",
		Other: "{0} Ergebnisse von Analysatoren haben keine Erklärung: Das Modell gab keine, die gezeigt " +
			"werden kann, oder es waren zu viele für einen Aufruf."},
	NoticeAnalysersOff: {Other: "Die Ergebnisse von Analysatoren wurden nicht verwendet, weil die Einstellung " +
		"`deterministic.staticAnalysis` aus ist."},
	NoticeHidden: {Other: "Titel oder Beschreibung enthalten Zeichen, die nicht zu sehen sind; Modelle haben sie nicht bekommen."},
	NoticeSecretPrints: {One: "{0} Geheimnis wird wieder gezeigt: Seine Unterdrückung stammt von einer Version, die " +
		"Werte von Geheimnissen nicht verglichen hat. Unterdrücken Sie es neu, um es wegzulassen.",
		Other: "{0} Geheimnisse werden wieder gezeigt: Ihre Unterdrückungen stammen von einer " +
			"Version, die Werte von Geheimnissen nicht verglichen hat. Unterdrücken Sie sie neu, um sie wegzulassen."},
	NoticeUnchecked: {One: "{0} Datei ließ sich innerhalb der Grenzen von Speicher und Zeit nicht prüfen; kein Modell hat sie gesehen.",
		Other: "{0} Dateien ließen sich innerhalb der Grenzen von Speicher und Zeit nicht prüfen; kein Modell hat sie gesehen."},
	NoticeInstructions: {Other: "Die Änderung betrifft Anweisungen für automatische Prüfer oder Assistenten; es gilt die " +
		"Fassung des Basis-Branches, und die neue sollte ein Mensch lesen: {0}."},
	NoticeRules: {Other: "Für diese Änderung gelten mehr Regeln, als in eine Anfrage passen ({0} oder {1} Token); nicht " +
		"alle wurden überall geprüft: {2}."},
	NoticeRuleTime: {Other: "Diese Regeln wurden nicht mit der ganzen Änderung abgeglichen, weil das zu lange dauerte: {0}."},
	NoticeRulePattern: {Other: "Diese Regeln wurden nicht geprüft, weil ihre Muster nicht lesbar sind: {0}. Sie " +
		"lassen sich auf der Seite der Regeln ändern."},
	NoticeRuleProgram: {Other: "Diese Regeln wurden nicht geprüft, weil ast-grep nicht eingerichtet ist, hier nicht " +
		"laufen kann oder gescheitert ist: {0}. Der Betreiber kann assay doctor ausführen."},
	NoticeLooks: {One: "{0} Blick auf einen Teil der Änderung unterblieb: Eine Prüfung dieser Tiefe hat höchstens {1} " +
		"Gespräche mit Modellen.",
		Other: "{0} Blicke auf Teile der Änderung unterblieben: Eine Prüfung dieser Tiefe hat höchstens {1} Gespräche mit Modellen."},
	NoticeLookup:    {Other: "Was andere Dateien mit dieser Änderung zu tun haben, ließ sich nicht vollständig nachschlagen."},
	NoticeLongLines: {Other: "Von längeren Zeilen hat das Modell nur die ersten {0} Zeichen gesehen in: {1}."},
	NoticeOutputs:   {Other: "Ausgaben, Anhänge oder Metadaten von Notebooks haben sich geändert, die kein Modell gesehen hat: {0}."},
	NoticeThroughHost: {Other: "Das Repository überschreitet die Grenzen, in denen es hier mit Git gelesen wird; die Änderung " +
		"wurde stattdessen über den Code-Host gelesen."},
	NoticeHostLists: {Other: "Der Code-Host listet nur die ersten {0} Dateien dieser Änderung auf; die übrigen wurden nicht gelesen."},
	NoticeGuidelinesUnread: {Other: "Nicht gelesene Richtliniendateien (Links, zu groß, kein Text, nicht aufgelistet oder mit " +
		"unverständlichem Kopf): {0}."},
	NoticeGuidelinesCut: {Other: "Nicht vollständig gelesene Richtliniendateien, weil eine Prüfung je 8 KB und insgesamt " +
		"24 KB liest: {0}."},
	NoticeGuidelinesSilent: {Other: "Richtliniendateien, an denen die Änderung nicht gemessen wurde, weil kein Modell geantwortet " +
		"hat oder das Budget verbraucht ist: {0}."},
	NoticeGuidelinesBase: {Other: "Die Richtliniendateien des Basis-Branches ließen sich nicht lesen; " +
		"die Änderung wurde nicht an ihnen gemessen."},
	NoticeFileSettings: {Other: "Nach dem Merge ändert die neue Fassung von {0}: {1}."},
	NoticeFileSame:     {Other: "Nach dem Merge ändert die neue Fassung von {0} weder eine Einstellung noch eine Regel."},
	NoticeFileReviews: {One: "{0} der letzten {1} Reviews hätte ihre Befunde anders gezeigt, soweit gespeicherte Befunde es erkennen lassen.",
		Other: "{0} der letzten {1} Reviews hätten ihre Befunde anders gezeigt, soweit gespeicherte Befunde es erkennen lassen."},
	NoticeFileRefused: {Other: "Einträge der neuen Fassung ohne Wirkung: {0}"},
	NoticeTrackers: {One: "{0} Issue-Tracker hat nicht geantwortet; womöglich fehlen hier Issues, zu denen die Änderung gehört.",
		Other: "{0} Issue-Tracker haben nicht geantwortet; womöglich fehlen hier Issues, zu denen die Änderung gehört."},
	NoticePanelKeyGone: {Other: "Das Panel hat nicht geprüft: Sein Modellschlüssel fehlt oder ist nicht verwendbar " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelKeyUnfit: {Other: "Das Panel hat nicht geprüft: Die Modellrichtlinie lässt die Region seines Modellschlüssels nicht zu " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelSameVendor: {Other: "Das Panel hat nicht geprüft: Sein Modell stammt vom selben Anbieter wie das einer anderen Stufe " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelReduced: {Other: "Das Panel hat nicht geprüft: Änderungen von außen werden nur eingeschränkt geprüft " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelRefused: {Other: "Das Panel hat nicht geprüft: Sein Anbieter hat den Modellschlüssel abgelehnt " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelQuota: {Other: "Das Panel hat nicht geprüft: Das Konto bei seinem Anbieter hat kein Guthaben mehr " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelRate: {Other: "Das Panel hat nicht geprüft: Sein Anbieter begrenzt die Zahl der Aufrufe " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelDown: {Other: "Das Panel hat nicht geprüft: Sein Anbieter hat nicht geantwortet " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelRequest: {Other: "Das Panel hat nicht geprüft: Sein Anbieter hat die Anfrage abgelehnt " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelBudget: {Other: "Das Panel hat nicht geprüft: Budget oder Grenzen lassen seine Aufrufe nicht zu " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelTooLong: {Other: "Das Panel hat nicht geprüft: Der Text ist zu lang für sein Modell " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelNoAnswer: {Other: "Das Panel hat nicht geprüft: Sein Modell gab keine brauchbare Antwort " +
		"({0} von {1} Teilen der Änderung)."},
	NoticePanelRoom: {Other: "Das Panel hat nicht geprüft: Bei dieser Prüftiefe bleiben keine Gespräche für das Panel " +
		"({0} von {1} Teilen der Änderung)."},
	NoticeFiles: {Other: "Die Änderung umfasst mehr Dateien als die {0}, die gelesen werden; {1} blieben außen vor."},

	EndPublished:    {Other: "Die Prüfung ist veröffentlicht."},
	EndPolicy:       {Other: "Die Richtlinie dieses Repositorys verlangt hier keine Prüfung."},
	EndSuperseded:   {Other: "Ein neuerer Stand ist da und hat seinen eigenen Lauf."},
	EndRetargeted:   {Other: "Der Zielbranch ist ein anderer, und die Prüfung gegen den neuen hat ihren eigenen Lauf."},
	EndClosed:       {Other: "Der Pull Request wurde geschlossen oder zum Entwurf gemacht."},
	EndGone:         {Other: "Der Code-Host zeigt den Pull Request nicht mehr."},
	EndDisconnected: {Other: "Das Repository ist nicht mehr verbunden."},
	EndCrashed: {Other: "Die Prüfung hat ihre Worker immer wieder zum Absturz gebracht; " +
		"dieser Stand wird von selbst nicht noch einmal versucht."},
	EndError:            {Other: "Die Prüfung ließ sich nicht abschließen."},
	EndModelUnavailable: {Other: "Kein Modell hat geantwortet, und die regelbasierten Prüfungen ergaben keine Befunde."},
	EndModelFruitless:   {Other: "Keine Antwort des Modells war brauchbar, und die regelbasierten Prüfungen ergaben keine Befunde."},
	EndModelRejected:    {Other: "Der Anbieter des Modells lehnt den eingestellten Denkaufwand ab."},
	EndSlotBusy: {Other: "Am Pull Request liegt in unserem Namen der Entwurf eines Reviews, der nicht von uns ist; der " +
		"Code-Host nimmt erst einen zweiten an, wenn jener abgeschickt oder gelöscht ist."},
	EndDeleted: {Other: "Der Entwurf des Reviews wurde gelöscht, bevor er veröffentlicht war."},
	EndRefused: {Other: "Der Code-Host lehnt den Text des Reviews ab."},
	EndWithheld: {Other: "Was das Review von einem Ticket sagt, darf hier nicht mehr bekannt werden, und der Code-Host lässt " +
		"den Entwurf nicht ändern."},
	EndRejected: {Other: "Die Prüfung wurde vor der Veröffentlichung abgelehnt."},
	EndExpired:  {Other: "Niemand hat die Prüfung rechtzeitig freigegeben."},

	SkipOff:      {Other: "Prüfungen sind für dieses Repository ausgeschaltet"},
	SkipPaused:   {Other: "Prüfungen dieses Pull Requests sind angehalten"},
	SkipNotOpen:  {Other: "der Pull Request ist nicht offen"},
	SkipDraft:    {Other: "der Pull Request ist ein Entwurf"},
	SkipOpening:  {Other: "das Öffnen eines Pull Requests startet hier keine Prüfung"},
	SkipPush:     {Other: "ein Push startet hier keine Prüfung"},
	SkipReady:    {Other: "das Ende des Entwurfs startet hier keine Prüfung"},
	SkipRetarget: {Other: "ein anderer Zielbranch startet hier keine Prüfung"},
	SkipBot:      {Other: "der Pull Request kommt von einem Bot"},
	SkipAuthor:   {Other: "die Autorin oder der Autor ist ausgenommen"},
	SkipLabels:   {Other: "keines der Labels, die eine Prüfung verlangen, ist gesetzt"},
	SkipBranch:   {Other: "der Ziel-Branch ist keiner, der geprüft wird"},
	SkipOnRequest: {Other: "er kommt von außen, und solche Pull Requests werden hier geprüft, wenn jemand mit Schreibrecht auf das " +
		"Repository `/assay review` kommentiert"},
	NoAnswerWithin: {Other: "keine Antwort innerhalb von {0}; zuletzt gemeldet: {1}"},
	EffortRejected: {Other: "der Anbieter des Modells lehnt den Denkaufwand ab: {0}"},

	CriterionNoModel:    {Other: "Kein Modell hat es sich angesehen."},
	CriterionBudget:     {Other: "Das Budget für Modelle ist aufgebraucht."},
	CriterionTooLong:    {Other: "Es ist zu lang für das Modell."},
	CriterionNoAnswer:   {Other: "Das Modell gab keine brauchbare Antwort."},
	CriterionMany:       {Other: "Eine Prüfung beurteilt nicht mehr Kriterien, als sie vor diesem beurteilt hat."},
	CriterionNoReason:   {Other: "Das Modell gab keinen Grund an."},
	CriterionUnproven:   {Other: "Es wurde kein Code zitiert, der im neuen Stand steht und es leistet."},
	CriterionUnsearched: {Other: "Es hieß, es fehle, ohne dass danach gesucht wurde."},
	CriterionWithheld:   {Other: "Die Begründung wiederholt das Ticket und wird deshalb nicht gezeigt."},

	AsideSize: {One: "über den {0} Kommentar hinaus, den eine Änderung dieser Größe bekommt",
		Other: "über die {0} Kommentare hinaus, die eine Änderung dieser Größe bekommt"},
	AsideFile: {One: "über den {0} Kommentar hinaus, den eine Datei bekommt",
		Other: "über die {0} Kommentare hinaus, die eine Datei bekommt"},
	AsideReview: {One: "über den {0} Kommentar hinaus, den ein Review haben darf",
		Other: "über die {0} Kommentare hinaus, die ein Review haben darf"},
	AsideNoLine:     {Other: "betrifft keine einzelne Zeile"},
	AsideOutside:    {Other: "der Diff zeigt diese Zeilen nicht"},
	AsideBinary:     {Other: "eine Binärdatei hat keine Zeilen"},
	AsideLarge:      {Other: "der Diff der Datei ist zu groß"},
	AsideReviewed:   {Other: "auf Zeilen, die ein früheres Review gelesen hat"},
	AsideUnheard:    {Other: "das Modell gab keine Antwort, die es prüft"},
	AsideSecond:     {Other: "nur durch eine zweite Meinung bestätigt"},
	AsideMinor:      {Other: "Wartbarkeit und Dokumentation bekommen keine Kommentare an Zeilen"},
	AsideLaterRound: {Other: "aus einer späteren Runde"},
	AsideDoubtful:   {Other: "vielleicht keine Zugangsdaten"},
	AsideIntended:   {Other: "laut der Änderung so gewollt"},

	TitleSecret:       {Other: "Eingecheckte Zugangsdaten entfernen: {0}"},
	TitleMaybeSecret:  {Other: "Einen Wert prüfen, der Zugangsdaten sein könnte: {0}"},
	TitleBidi:         {Other: "Bidirektionale Steuerzeichen entfernen"},
	TitleTag:          {Other: "Unsichtbare Tag-Zeichen entfernen"},
	TitleZeroWidth:    {Other: "Unsichtbare Zeichen entfernen"},
	TitlePermissions:  {Other: "Das Token des Workflows bekommt mehr Rechte"},
	TitleCheckout:     {Other: "Ein privilegierter Workflow checkt den Code des Pull Requests aus"},
	TitleGo:           {Other: "Die Go-Datei lässt sich nicht parsen"},
	TitleLockHost:     {Other: "Neue Quelle festgeschriebener Pakete prüfen: {0}"},
	TitleLockPlain:    {Other: "Festgeschriebene Pakete über HTTPS holen"},
	TitleLockGit:      {Other: "Festgeschriebenes Paket aus einem Git-Repository prüfen"},
	TitleLockDigest:   {Other: "Prüfsumme des festgeschriebenen Pakets wiederherstellen"},
	TitleLockOther:    {Other: "Festgeschriebenes Paket prüfen, das als ein anderes geholt wird"},
	TitleLockChanged:  {Other: "Geänderte Prüfsumme einer festgeschriebenen Version prüfen"},
	TitleDockerAdd:    {Other: "Entfernte Datei in `ADD` mit Prüfsumme versehen"},
	TitleDockerPipe:   {Other: "Download vor dem Ausführen prüfen"},
	TitleDockerArg:    {Other: "Geheimnis {0} als Secret-Mount übergeben"},
	TitleDockerEnv:    {Other: "Geheimnis {0} aus dem Image heraushalten"},
	TitleDockerTag:    {Other: "Version des Images {0} angeben"},
	TitleDockerRoot:   {Other: "Container nicht als root ausführen"},
	TitleInjection:    {Other: "Text von außen wird Teil eines Skripts"},
	TitleMovingAction: {Other: "Action {0} auf einen Commit festlegen"},
	TitleLint:         {Other: "Fehler im Workflow korrigieren ({0})"},
	TitleConflict:     {Other: "Merge-Konflikt-Marker auflösen"},
	SayMaybeSecret: {Other: "Dieser Wert sieht nur durch den Namen daneben nach Zugangsdaten aus ({0}), und er steht, wo Beispiele " +
		"üblich sind, oder ist wenig zufällig. " +
		"Die Prüfung scheitert daran nicht. Falls er etwas öffnet: bitte widerrufen und einen neuen aus der Umgebung oder einem " +
		"Secret-Store lesen."},
	SayUnrestricted: {Other: "Diese Änderung nimmt den Block `permissions` weg, der das Token der Jobs einschränkte. " +
		"Es bekommt nun die Vorgabe des Repositorys, die Schreibrecht auf alles sein kann. " +
		"Bitte den Block wieder einsetzen, mit dem, was die Jobs brauchen."},
	SaySecret: {Other: "Diese Änderung fügt etwas hinzu, das nach Zugangsdaten aussieht ({0}). Wer das Repository, seine Forks oder " +
		"seine Historie lesen kann, kann sie benutzen. " +
		"Bitte widerrufen und neue erzeugen: Die Zeile zu löschen, entfernt sie nicht aus der Historie. " +
		"Danach aus der Umgebung oder einem Secret-Store lesen."},
	SayBidi: {Other: "Diese Änderung fügt Zeichen hinzu, die die Anzeigereihenfolge von Text ändern, sodass Code sich anders liest, " +
		"als er ausgeführt wird ({0}). " +
		"Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayBidiMore: {Other: "Diese Änderung fügt Zeichen hinzu, die die Anzeigereihenfolge von Text ändern, sodass Code sich anders " +
		"liest, als er ausgeführt wird ({0}). " +
		"Weitere Zeilen: {1}. Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayTag: {Other: "Diese Änderung fügt Tag-Zeichen oder Variantenselektoren hinzu, die verborgenen Text tragen können, etwa " +
		"Anweisungen an ein Sprachmodell ({0}). " +
		"Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayTagMore: {Other: "Diese Änderung fügt Tag-Zeichen oder Variantenselektoren hinzu, die verborgenen Text tragen können, etwa " +
		"Anweisungen an ein Sprachmodell ({0}). " +
		"Weitere Zeilen: {1}. Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayZeroWidth: {Other: "Diese Änderung fügt Zeichen ohne Breite hinzu, sodass zwei gleich aussehende Namen verschieden sein " +
		"können ({0}). " +
		"Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayZeroWidthMore: {Other: "Diese Änderung fügt Zeichen ohne Breite hinzu, sodass zwei gleich aussehende Namen verschieden " +
		"sein können ({0}). " +
		"Weitere Zeilen: {1}. Bitte entfernen oder, wo ein Programm sie braucht, als Escape-Sequenzen schreiben."},
	SayPermission: {Other: "Diese Änderung gibt dem Token des Jobs {0}, was es vorher nicht hatte. " +
		"Jeder Schritt und jede Action des Jobs kann es benutzen. " +
		"Das Recht gehört nur dem Job gegeben, der es braucht."},
	SayPermissions: {Other: "Diese Änderung gibt dem Token des Jobs Schreibrecht auf alles (`write-all`), was es vorher nicht " +
		"hatte. Jeder Schritt und jede Action des Jobs kann es benutzen. " +
		"Das Recht gehört nur dem Job gegeben, der es braucht."},
	SayCheckout: {Other: "Ein Workflow, den `pull_request_target` oder `workflow_run` startet, hat die Secrets des Repositorys und " +
		"ein Token mit Schreibrecht, und hier checkt er den " +
		"Stand des Pull Requests aus. Wer einen Pull Request öffnen kann, kann damit Code ausführen. Besser: den Auslöser " +
		"`pull_request` verwenden oder diesen Stand nicht auschecken."},
	SayGo: {Other: "Der Go-Parser bricht in Zeile {0} ab: {1}. Das Paket lässt sich nicht bauen."},
	SayLockHost: {Other: "Mit dieser Änderung holt die Lock-Datei Pakete von {0}. Im Ziel-Branch nennt sie diese Quelle nicht, " +
		"und sie gehört zu keiner öffentlichen Registry. Pakete werden von dort installiert, wohin die Lock-Datei zeigt, was auch " +
		"immer das Manifest nennt. Die Lock-Datei mit dem Paketmanager neu erzeugen oder bestätigen, dass der Host der eigene ist."},
	SayLockPlain: {Other: "Mit dieser Änderung holt die Lock-Datei Pakete unverschlüsselt von {0}; jeder auf dem Weg kann das " +
		"Paket austauschen. Die Adresse mit https angeben."},
	SayLockGit: {Other: "Mit dieser Änderung holt die Lock-Datei ein Paket aus dem Git-Repository {0}, das sie im Ziel-Branch " +
		"nicht nennt. Keine Registry prüft, was dort liegt. Eine veröffentlichte Version verwenden oder bestätigen, dass es das " +
		"richtige Repository ist."},
	SayLockDigest: {Other: "Diese Änderung fügt der Lock-Datei ein Paket ohne Prüfsumme hinzu oder ändert seine Quelle, während " +
		"andere Pakete eine haben. Ohne sie installiert der Paketmanager, was immer der Server schickt. " +
		"Die Lock-Datei mit dem Paketmanager neu erzeugen."},
	SayLockOther: {Other: "Mit dieser Änderung holt die Lock-Datei {1} für das Paket {0}. Der Paketmanager installiert das " +
		"Archiv, das die Adresse nennt, was auch immer das Manifest sagt. Die Lock-Datei mit dem Paketmanager neu erzeugen oder " +
		"bestätigen, dass ein Alias gemeint ist."},
	SayLockChanged: {Other: "Diese Änderung gibt {0} eine andere Prüfsumme ohne andere Version oder Adresse. Eine veröffentlichte " +
		"Version ändert ihren Inhalt nicht: Das Paket wurde ersetzt oder die Prüfsumme bearbeitet. Die Lock-Datei mit dem Paketmanager " +
		"neu erzeugen und die Prüfsumme mit der der Registry vergleichen."},
	SayDockerAdd: {Other: "Dieses `ADD` lädt von einer Adresse ohne Prüfsumme, sodass das Image erhält, was der Server beim Bauen gerade " +
		"sendet. Bitte `--checksum=sha256:…` ergänzen oder bei einem Git-Repository den vollen Commit angeben."},
	SayDockerPipe: {Other: "Dieser Befehl gibt einen Download direkt an einen Interpreter. Der Server bestimmt, was beim Bauen ausgeführt " +
		"wird, und ein abgebrochener Download wird zum Teil ausgeführt. Bitte die Datei speichern, ihre Prüfsumme " +
		"vergleichen und sie erst dann ausführen, oder ein Paket mit fester Version installieren."},
	SayDockerArg: {Other: "Das Build-Argument {0} trägt den Namen eines Geheimnisses. Der Verlauf eines Images und die Aufzeichnung " +
		"seines Builds können die Werte von Build-Argumenten zeigen. Bitte stattdessen `RUN --mount=type=secret` " +
		"verwenden."},
	SayDockerEnv: {Other: "Diese Änderung schreibt einen Wert für {0} in die Umgebung des Images. Alle, die das Image laden können, " +
		"können ihn lesen, auch wenn eine spätere Anweisung ihn ändert. Bitte beim Start des Containers übergeben oder " +
		"beim Bauen `RUN --mount=type=secret` verwenden. Wenn der Wert etwas öffnet, bitte ersetzen."},
	SayDockerTag: {Other: "Das Image {0} ist ohne Version angegeben, sodass jeder Build ein anderes erhalten kann und sich kein Build " +
		"wiederholen lässt. Bitte einen Tag mit Version angeben, besser einen Digest."},
	SayDockerRoot: {Other: "Die letzte Stufe dieses Dockerfiles startet ihr Programm als root, sodass ein Fehler im Programm alle Rechte " +
		"im Container gibt. Bitte einen Benutzer anlegen und mit `USER` angeben."},
	SayInjection: {Other: "Der Ausdruck {0} setzt Text in ein Skript ein, den Fremde wählen können, zum Beispiel einen Titel oder " +
		"Branch-Namen. GitHub fügt den Text ein, bevor das Skript gelesen wird, sodass er Befehle mit dem Token und den " +
		"Geheimnissen des Jobs ausführen kann. Bitte in eine Variable unter `env` setzen und diese in Anführungszeichen " +
		"verwenden."},
	SayMovingAction: {Other: "Die Action {0} ist mit {1} angegeben. Ihr Besitzer oder ein Angreifer mit dessen Konto kann das auf anderen " +
		"Code verschieben, und dieser läuft mit dem Token und den Geheimnissen des Jobs. Bitte den vollen Commit " +
		"angeben, mit der Version in einem Kommentar."},
	SayLint: {Other: "Der Analysator actionlint meldet zu diesem Workflow: {0}. Der Workflow kann deshalb scheitern oder etwas " +
		"anderes tun, als sein Text vermuten lässt. Bitte die Zeile korrigieren."},
	SayAnalyser: {Other: "Der Analysator {0} meldet unter seiner Regel {1}: {2}."},
	SayRulePlaces: {One: "{0} weitere Stelle dieser Änderung entspricht dieser Regel. {1}",
		Other: "{0} weitere Stellen dieser Änderung entsprechen dieser Regel. {1}"},
	SayConflict: {Other: "Diese Änderung fügt die Marker eines unfertigen Merges hinzu (`<<<<<<<` und `>>>>>>>`). Bitte eine Seite " +
		"wählen und die Marker löschen."},
	TitleGoPattern: {Other: "Dieser Go-Code ist bei jeder Eingabe falsch: {0}"},
	SayGoFormat: {Other: "Der Aufruf von {0} gibt {1} Argumente an ein Format, das {2} nimmt. Die Ausgabe enthält dann " +
		"`%!` und einen Hinweis statt der Werte. Format und Argumente aufeinander abstimmen."},
	SayGoUnused: {Other: "{0} gibt nur einen Wert zurück, und diese Anweisung verwirft ihn, sodass sie nichts tut. Den " +
		"Wert verwenden oder die Anweisung löschen."},
	SayGoSame: {Other: "{0} steht auf beiden Seiten, sodass die Operation keine Wirkung oder ein festes Ergebnis hat. " +
		"Eine Seite nennt vermutlich die falsche Variable."},
	SayGoConstant: {Other: "Die Bedingung {0} hat für jeden Wert dasselbe Ergebnis, sodass ein Zweig nie läuft. " +
		"Operatoren und Konstanten prüfen."},
	SayGoRepeated: {Other: "Ein früherer Zweig hat dieselbe Bedingung {0}, sodass dieser Zweig nie läuft. Eine der " +
		"beiden berichtigen oder diesen Zweig löschen."},
	SayGoLock: {Other: "Diese Zeile verschiebt {0} ein zweites Mal statt der Freigabe. Die Sperre bleibt gesetzt, und " +
		"ein Mutex blockiert hier für immer. Mit `defer` freigeben."},
	SayGoRecover: {Other: "`recover` hält eine Panic nur an, wenn eine verschobene Funktion es aufruft. Selbst " +
		"verschoben wirkt es nicht, und die Panic läuft weiter. In `defer func() { … }()` aufrufen."},
	SayGoLateAdd: {Other: "Diese Goroutine meldet sich erst nach ihrem Start bei {0} an. `Wait` kann vorher zurückkehren " +
		"und wartet dann nicht auf sie. `Add` vor der `go`-Anweisung aufrufen."},
	SayGoTag: {Other: "Der Tag dieses Feldes hat für {0} nicht die Form, die das Paket `reflect` liest, oder wiederholt " +
		"den Schlüssel. Das Programm übergeht diesen Teil. Paare `key:\"value\"` mit je einem Leerzeichen dazwischen schreiben."},
	SayGoName: {Other: "Zwei Felder dieser Struktur haben den JSON-Namen {0}. Das Paket `encoding/json` lässt beide ohne " +
		"Fehler weg. Jedem Feld einen eigenen Namen geben."},
	SayGoBody: {Other: "Schlägt der Aufruf fehl, ist {0} nil, und diese Zeile löst eine Panic aus, bevor der Fehler " +
		"geprüft wird. Zuerst den Fehler prüfen."},
	TitleMigrationDrop:  {Other: "Die Migration löscht {0} mit den Daten"},
	TitleMigrationNull:  {Other: "Die neue Spalte {0} hat keinen Wert für vorhandene Zeilen"},
	TitleMigrationIndex: {Other: "Den Index auf {0} bauen, ohne Schreibzugriffe zu blockieren"},
	SayMigrationDrop: {Other: "Diese Migration entfernt {0}, und ein Zurücksetzen des Releases bringt die Daten nicht " +
		"wieder. Noch laufende Programme der früheren Version scheitern, wenn sie darauf zugreifen. Erst in einem späteren " +
		"Release als dem letzten Code entfernen, der es verwendet, und eine Sicherung behalten."},
	SayMigrationNull: {Other: "Die Spalte {0} ist `NOT NULL` und hat keinen Standardwert, sodass diese Anweisung " +
		"scheitert, sobald {1} eine Zeile hat. Einen Standardwert angeben, oder die Spalte erst ohne `NOT NULL` anlegen, " +
		"füllen und dann `NOT NULL` setzen."},
	SayMigrationIndex: {Other: "PostgreSQL blockiert jeden Schreibzugriff auf {0}, solange es diesen Index baut. `CREATE " +
		"INDEX CONCURRENTLY` in einer Migration außerhalb einer Transaktion verwenden."},
	TitleManifestLock:     {Other: "Die Lock-Datei passt nicht zum Manifest: {0}"},
	TitleInstallScript:    {Other: "Neues Installationsskript prüfen: {0}"},
	TitleManifestSource:   {Other: "Abhängigkeit außerhalb einer Registry prüfen: {0}"},
	TitleManifestRegistry: {Other: "Neue Paket-Registry prüfen: {0}"},
	SayManifestMissing: {Other: "Das Manifest nennt {0}, und {1} enthält es nicht. Eine Installation nach der Lock-Datei " +
		"scheitert oder nimmt eine ungeprüfte Version. Den Paketmanager ausführen und beide Dateien einchecken."},
	SayManifestVersion: {Other: "Das Manifest verlangt {0} {1}, und die Lock-Datei wurde für {2} erzeugt. Eine " +
		"Installation nach der Lock-Datei scheitert oder nimmt eine andere Version als im Manifest. Den Paketmanager ausführen " +
		"und beide Dateien einchecken."},
	SayInstallScript: {Other: "Mit dieser Änderung führt {0} während der Installation ein Skript aus, mit den Rechten " +
		"und Geheimnissen jeder Maschine, die es installiert. Der Ziel-Branch tut das nicht. Das Skript vor dem Merge lesen."},
	SayManifestSource: {Other: "Diese Änderung holt {0} von {1} und nicht aus einer Registry, in der sich eine " +
		"veröffentlichte Version nicht ändern kann. Eine veröffentlichte Version verwenden, oder die Adresse bestätigen und " +
		"einen vollen Commit oder Digest nennen."},
	SayManifestRegistry: {Other: "Diese Änderung nennt die Registry {0}, die die Datei im Ziel-Branch nicht nennt und " +
		"die keine öffentliche ist. Ein gleichnamiges Paket dort kann das gemeinte ersetzen. Bestätigen, dass die Registry die " +
		"eigene ist."},
	NoticeSwitches: {Other: "Neue Kommentare schalten Befunde von Analysewerkzeugen ab: {0}."},
	SaySecretOld: {Other: "Diese Änderung fügt etwas hinzu, das nach Zugangsdaten aussieht ({0}), und der Ziel-Branch " +
		"enthält denselben Wert bereits. Alle, die das Repository lesen, können sie benutzen. Sperren und neu ausstellen, dann " +
		"an jeder Stelle entfernen und aus der Umgebung oder einem Secret-Store lesen."},
	SayMaybeSecretOld: {Other: "Dieser Wert sieht nur durch den Namen daneben nach Zugangsdaten aus ({0}), und der Ziel-Branch " +
		"enthält denselben Wert bereits. Die Prüfung scheitert daran nicht. Falls er etwas öffnet: bitte widerrufen und an jeder " +
		"Stelle entfernen."},
}
