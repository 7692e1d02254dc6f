package wording

var frenchStored = table{
	PartsReviewed:  {One: "{0} partie de la modification relue sur {1}", Other: "{0} parties de la modification relues sur {1}"},
	GroupsVerified: {One: "{0} groupe de problèmes vérifié sur {1}", Other: "{0} groupes de problèmes vérifiés sur {1}"},
	FilesTooLarge:  {One: "{0} fichier trop volumineux pour être relu", Other: "{0} fichiers trop volumineux pour être relus"},
	FilesUnchecked: {One: "{0} fichier sur {1} n’a pas pu être contrôlé", Other: "{0} fichiers sur {1} n’ont pas pu être contrôlés"},
	FilesUnproven: {One: "{0} fichier peut-être écrit à la main n’a pas été lu",
		Other: "{0} fichiers peut-être écrits à la main n’ont pas été lus"},
	MoreInChange:   {Other: "la modification compte d’autres fichiers"},
	BudgetUsed:     {Other: "le budget est épuisé"},
	NoUsableAnswer: {Other: "le modèle n’a donné aucune réponse exploitable (0 partie de la modification sur {0})"},
	TooLong:        {Other: "la modification est trop longue pour le contexte du modèle (0 partie sur {0})"},
	SomeParts:      {Other: "certaines parties n’ont pas été relues"},

	WhyLargeChange:       {Other: "modification trop volumineuse pour un modèle"},
	WhyLargeFile:         {Other: "fichier trop volumineux\u00a0: seules les lignes modifiées ont été lues"},
	WhyManyFiles:         {Other: "au-delà des fichiers lus via l’hébergeur\u00a0: seules les lignes modifiées ont été lues"},
	WhyNotSelected:       {Other: "hors des lignes les plus risquées d’une grande modification"},
	WhyReduced:           {Other: "relecture réduite"},
	WhyExcluded:          {Other: "exclu par la politique"},
	WhyNotIncluded:       {Other: "non inclus par la politique"},
	WhyUnchecked:         {Other: "impossible à contrôler dans les limites"},
	WhyUncheckedFile:     {Other: "fichier impossible à contrôler dans les limites\u00a0: seules les lignes modifiées ont été lues"},
	WhyChecksOnly:        {Other: "contrôles déterministes seulement"},
	WhyTooLong:           {Other: "trop long pour le modèle"},
	WhyTooMuch:           {Other: "modification trop volumineuse"},
	WhyNoAnswer:          {Other: "le modèle n’a donné aucune réponse exploitable"},
	WhyFault:             {Other: "non vérifié : une erreur du programme a interrompu la relecture de cette partie"},
	WhyForm:              {Other: "des constats du modèle n’ont pas pu être lus"},
	WhyBrokeOff:          {Other: "la réponse du modèle s’est interrompue"},
	WhyMore:              {Other: "le modèle a trouvé plus qu’une réponse ne peut contenir"},
	WhyBudget:            {Other: "le budget des modèles est épuisé"},
	WhyWorkflow:          {Other: "workflow trop volumineux ou trop imbriqué pour être contrôlé"},
	WhyRuleBroken:        {Other: "erreurs de syntaxe, si bien que les règles à motif de code n’ont pas été comparées"},
	WhyRuleBound:         {Other: "trop volumineux ou indisponible, si bien que les règles à motif n’ont pas été comparées partout"},
	WhyGo:                {Other: "trop volumineux ou trop imbriqué pour être analysé"},
	WhyCut:               {Other: "plus de problèmes qu’une relecture n’en liste"},
	WhySecrets:           {Other: "plus de secrets qu’on ne peut en remplacer dans une requête"},
	WhyBinaryText:        {Other: "plus de texte dans des fichiers binaires qu’on n’en fouille pour des secrets"},
	WhyMarked:            {Other: "généré, selon cette seule modification"},
	WhyMinifiedHere:      {Other: "minifié, selon cette seule modification"},
	WhyUnproven:          {Other: "nommé comme du code généré, ce que rien n’y confirme"},
	WhyVendoredHere:      {Other: "code tiers, selon cette seule modification"},
	WhyVendoredEdit:      {Other: "code tiers, modifié sans sa liste de paquets"},
	WhyByMark:            {Other: "généré, selon sa propre mention"},
	WhyLFS:               {Other: "son contenu est dans Git LFS et n’a pas été lu"},
	WhyLongData:          {Other: "seul le début des longues lignes de données montré"},
	WhyOutputs:           {Other: "sorties d’un notebook non montrées"},
	WhyDeleted:           {Other: "supprimé"},
	WhyNoLine:            {Other: "aucune ligne modifiée"},
	WhyWasText:           {Other: "était du texte et n’est plus lisible comme tel"},
	WhyNoText:            {Other: "illisible comme texte, bien qu’un programme puisse l’exécuter"},
	WhyOmittedLarge:      {Other: "modification plus volumineuse que permis"},
	WhyOmittedByHost:     {Other: "modification non montrée par l’hébergeur"},
	WhyOmittedUnreadable: {Other: "modification illisible telle que l’hébergeur la donne"},
	WhyOmittedPath:       {Other: "chemin qu’aucune copie de travail ne peut avoir"},
	WhyDocs:              {Other: "documentation"},
	WhyGenerated:         {Other: "généré"},
	WhyVendored:          {Other: "code tiers"},
	WhyLock:              {Other: "fichier de verrouillage"},
	WhyMinified:          {Other: "minifié"},
	WhyBinary:            {Other: "binaire"},
	WhyData:              {Other: "données"},
	WhySubmodule:         {Other: "sous-module"},
	WhySymlink:           {Other: "lien symbolique"},

	NoticeChecksCut:    {Other: "Les contrôles ont trouvé {0} problèmes de plus que les {1} qu’une relecture liste."},
	NoticeAnalysersCut: {Other: "Les analyseurs ont trouvé {0} problèmes de plus que les {1} qu’une relecture liste."},
	NoticeAnalysersFailed: {Other: "Ces analyseurs signalent qu’ils n’ont pas terminé\u00a0: {0}. Leurs " +
		"résultats peuvent être incomplets."},
	NoticeAnalysersLeft: {One: "{0} résultat d’analyseurs ({1}) manque dans cette relecture. La page de l’exécution en donne la raison.",
		Other: "{0} résultats d’analyseurs ({1}) manquent dans cette relecture. La page de l’exécution en donne les raisons."},
	NoticeUnexplainedModel: {Other: "Aucun modèle n’explique les résultats des analyseurs dans cette relecture, car aucun n’y a " +
		"participé ou la relecture est réduite."},
	NoticeUnexplainedBudget: {Other: "Aucun modèle n’explique les résultats des analyseurs dans cette relecture, car un budget ou une " +
		"limite est épuisé."},
	NoticeUnexplainedAnswer: {Other: "Aucun modèle n’explique les résultats des analyseurs dans cette relecture, car sa réponse " +
		"manquait ou n’était pas utilisable."},
	NoticeUnexplainedSome: {One: "{0} résultat des analyseurs n’a pas d’explication : le modèle n’en a donné aucune qui puisse " +
		"être montrée.",
		Other: "{0} résultats des analyseurs n’ont pas d’explication : le modèle n’en a donné aucune qui " +
			"puisse être montrée, ou ils étaient trop nombreux pour un seul appel."},
	NoticeAnalysersOff: {Other: "Les résultats des analyseurs n’ont pas été utilisés, car le réglage " +
		"`deterministic.staticAnalysis` est désactivé."},
	NoticeHidden: {Other: "Le titre ou la description contient des caractères invisibles\u00a0; les modèles ne les ont pas reçus."},
	NoticeSecretPrints: {One: "{0} secret est de nouveau affiché\u00a0: sa suppression date d’une version qui ne " +
		"comparait pas les valeurs des secrets. Supprimez-le de nouveau pour l’écarter.",
		Other: "{0} secrets sont de nouveau affichés\u00a0: leurs suppressions datent d’une version " +
			"qui ne comparait pas les valeurs des secrets. Supprimez-les de nouveau pour les écarter."},
	NoticeUnchecked: {One: "{0} fichier n’a pas pu être contrôlé dans les limites de mémoire et de temps\u00a0; aucun modèle ne l’a vu.",
		Other: "{0} fichiers n’ont pas pu être contrôlés dans les limites de mémoire et de temps\u00a0; aucun modèle ne les a vus."},
	NoticeInstructions: {Other: "La modification touche à ce qui guide les relecteurs automatiques ou les assistants\u00a0; " +
		"c’est la version de la branche de base qui compte, et un humain devrait lire la nouvelle\u00a0: {0}."},
	NoticeRules: {Other: "Plus de règles concernent cette modification qu’il n’en tient dans une requête ({0}, ou {1} " +
		"jetons)\u00a0; toutes n’ont pas été vérifiées partout\u00a0: {2}."},
	NoticeRuleTime: {Other: "Ces règles n’ont pas été comparées à toute la modification, car cela prenait " +
		"trop de temps\u00a0: {0}."},
	NoticeRulePattern: {Other: "Ces règles n’ont pas été vérifiées, car leurs motifs sont illisibles\u00a0: {0}. " +
		"Elles se modifient sur la page des règles."},
	NoticeRuleProgram: {Other: "Ces règles n’ont pas été vérifiées, car ast-grep n’est pas configuré, ne peut pas " +
		"s’exécuter ici ou a échoué\u00a0: {0}. L’opérateur peut exécuter assay doctor."},
	NoticeLooks: {One: "{0} passe sur une partie de la modification a été omise\u00a0: une relecture de cette profondeur " +
		"a au plus {1} échanges avec des modèles.", Other: "{0} passes sur des parties de la modification ont été omises\u00a0: une " +
		"relecture de cette profondeur a au plus {1} échanges avec des modèles."},
	NoticeLookup:    {Other: "Ce que d’autres fichiers ont à voir avec cette modification n’a pas pu être consulté en entier."},
	NoticeLongLines: {Other: "Des lignes plus longues, le modèle n’a vu que les {0} premiers caractères dans\u00a0: {1}."},
	NoticeOutputs: {Other: "Des sorties, pièces jointes ou métadonnées de notebooks ont changé sans qu’un modèle les " +
		"voie\u00a0: {0}."},
	NoticeThroughHost: {Other: "Le dépôt dépasse les limites dans lesquelles il est lu ici avec git\u00a0; " +
		"la modification a été lue via l’hébergeur."},
	NoticeHostLists: {Other: "L’hébergeur ne liste que les {0} premiers fichiers de cette modification\u00a0; " +
		"les autres n’ont pas été lus."},
	NoticeGuidelinesUnread: {Other: "Fichiers de consignes non lus (liens, trop grands, pas du texte, non listés ou en-tête " +
		"incompréhensible)\u00a0: {0}."},
	NoticeGuidelinesCut: {Other: "Fichiers de consignes lus en partie, car une relecture lit 8\u00a0Ko de chacun et 24\u00a0Ko " +
		"en tout\u00a0: {0}."},
	NoticeGuidelinesSilent: {Other: "Fichiers de consignes auxquels la modification n’a pas été comparée, faute de réponse d’un " +
		"modèle ou de budget\u00a0: {0}."},
	NoticeGuidelinesBase: {Other: "Les fichiers de consignes de la branche de base n’ont pas pu être lus\u00a0; " +
		"la modification ne leur a pas été comparée."},
	NoticeFileSettings: {Other: "Après la fusion, la nouvelle version de {0} modifie\u00a0: {1}."},
	NoticeFileSame:     {Other: "Après la fusion, la nouvelle version de {0} ne modifie aucun réglage ni aucune règle."},
	NoticeFileReviews: {One: "{0} des {1} dernières relectures aurait montré ses constats autrement, d’après les constats enregistrés.",
		Other: "{0} des {1} dernières relectures auraient montré leurs constats autrement, d’après les constats enregistrés."},
	NoticeFileRefused: {Other: "Entrées de la nouvelle version qui seraient sans effet\u00a0: {0}"},
	NoticeTrackers: {One: "{0} outil de suivi n’a pas répondu\u00a0; des tickets auxquels la modification se rattache manquent peut-être ici.",
		Other: "{0} outils de suivi n’ont pas répondu\u00a0; des tickets auxquels la modification se rattache manquent peut-être ici."},
	NoticePanelKeyGone: {Other: "Le panel n’a pas regardé\u00a0: sa clé de modèle n’existe plus ou est inutilisable " +
		"({0} parties de la modification sur {1})."},
	NoticePanelKeyUnfit: {Other: "Le panel n’a pas regardé\u00a0: la politique des modèles n’autorise pas la région de sa clé " +
		"({0} parties de la modification sur {1})."},
	NoticePanelSameVendor: {Other: "Le panel n’a pas regardé\u00a0: son modèle vient du même fournisseur que celui d’un autre niveau " +
		"({0} parties de la modification sur {1})."},
	NoticePanelReduced: {Other: "Le panel n’a pas regardé\u00a0: une modification externe ne reçoit qu’une relecture réduite " +
		"({0} parties de la modification sur {1})."},
	NoticePanelRefused: {Other: "Le panel n’a pas regardé\u00a0: son fournisseur a refusé la clé de modèle " +
		"({0} parties de la modification sur {1})."},
	NoticePanelQuota: {Other: "Le panel n’a pas regardé\u00a0: le compte chez son fournisseur n’a plus de crédit " +
		"({0} parties de la modification sur {1})."},
	NoticePanelRate: {Other: "Le panel n’a pas regardé\u00a0: son fournisseur limite le débit des appels " +
		"({0} parties de la modification sur {1})."},
	NoticePanelDown: {Other: "Le panel n’a pas regardé\u00a0: son fournisseur n’a pas répondu " +
		"({0} parties de la modification sur {1})."},
	NoticePanelRequest: {Other: "Le panel n’a pas regardé\u00a0: son fournisseur a refusé la requête " +
		"({0} parties de la modification sur {1})."},
	NoticePanelBudget: {Other: "Le panel n’a pas regardé\u00a0: le budget ou une limite ne laisse pas de place à ses appels " +
		"({0} parties de la modification sur {1})."},
	NoticePanelTooLong: {Other: "Le panel n’a pas regardé\u00a0: le texte est trop long pour son modèle " +
		"({0} parties de la modification sur {1})."},
	NoticePanelNoAnswer: {Other: "Le panel n’a pas regardé\u00a0: son modèle n’a pas donné de réponse utilisable " +
		"({0} parties de la modification sur {1})."},
	NoticePanelRoom: {Other: "Le panel n’a pas regardé\u00a0: une relecture de cette profondeur n’a plus d’échange pour lui " +
		"({0} parties de la modification sur {1})."},
	NoticeFiles: {Other: "La modification compte plus de fichiers que les {0} qui sont lus\u00a0; {1} ont été laissés de côté."},

	EndPublished:    {Other: "La relecture est publiée."},
	EndPolicy:       {Other: "La politique de ce dépôt ne demande pas de relecture ici."},
	EndSuperseded:   {Other: "Un commit plus récent est arrivé et a sa propre exécution."},
	EndRetargeted:   {Other: "La branche cible a changé, et la relecture par rapport à la nouvelle a sa propre exécution."},
	EndClosed:       {Other: "La pull request a été fermée ou remise en brouillon."},
	EndGone:         {Other: "L’hébergeur ne montre plus la pull request."},
	EndDisconnected: {Other: "Le dépôt n’est plus connecté."},
	EndCrashed: {Other: "La relecture a fait tomber ses processus à plusieurs reprises, ce commit n’est donc plus " +
		"retenté de lui-même."},
	EndError:            {Other: "La relecture n’a pas pu être menée à bien."},
	EndModelUnavailable: {Other: "Aucun modèle n’a répondu, et les contrôles déterministes n’ont rien trouvé."},
	EndModelFruitless:   {Other: "Aucune réponse du modèle n’était exploitable, et les contrôles déterministes n’ont rien trouvé."},
	EndModelRejected:    {Other: "Le fournisseur du modèle refuse l’effort de raisonnement réglé."},
	EndSlotBusy: {Other: "Un brouillon de relecture qui n’est pas le nôtre est ouvert en notre nom sur la pull " +
		"request\u00a0; l’hébergeur n’en accepte un second qu’une fois celui-ci envoyé ou supprimé."},
	EndDeleted: {Other: "Le brouillon de la relecture a été supprimé avant sa publication."},
	EndRefused: {Other: "L’hébergeur refuse le texte de la relecture."},
	EndWithheld: {Other: "Ce que la relecture dit d’un ticket ne doit plus être connu ici, et l’hébergeur ne permet pas de " +
		"modifier son brouillon."},
	EndRejected: {Other: "La relecture a été refusée avant sa publication."},
	EndExpired:  {Other: "Personne n’a approuvé la relecture à temps."},

	SkipOff:      {Other: "les relectures sont désactivées pour ce dépôt"},
	SkipPaused:   {Other: "les relectures de cette pull request sont suspendues"},
	SkipNotOpen:  {Other: "la pull request n’est pas ouverte"},
	SkipDraft:    {Other: "la pull request est un brouillon"},
	SkipOpening:  {Other: "l’ouverture d’une pull request ne lance pas de relecture ici"},
	SkipPush:     {Other: "un push ne lance pas de relecture ici"},
	SkipReady:    {Other: "la fin du brouillon ne lance pas de relecture ici"},
	SkipRetarget: {Other: "une autre branche cible ne lance pas de relecture ici"},
	SkipBot:      {Other: "l’auteur est un bot"},
	SkipAuthor:   {Other: "l’auteur est exclu"},
	SkipLabels:   {Other: "aucun des labels qui demandent une relecture n’est posé"},
	SkipBranch:   {Other: "la branche cible ne fait pas partie de celles qui sont relues"},
	SkipOnRequest: {Other: "elle vient de l’extérieur, et ces pull requests sont relues ici quand une personne qui a le droit " +
		"d’écriture sur le dépôt commente `/assay review`"},
	NoAnswerWithin: {Other: "pas de réponse en {0}\u00a0; dernier message\u00a0: {1}"},
	EffortRejected: {Other: "le fournisseur du modèle a refusé l’effort de raisonnement\u00a0: {0}"},

	CriterionNoModel:    {Other: "Aucun modèle ne l'a examiné."},
	CriterionBudget:     {Other: "Le budget pour les modèles est épuisé."},
	CriterionTooLong:    {Other: "C'est trop long pour le modèle."},
	CriterionNoAnswer:   {Other: "Le modèle n'a donné aucune réponse utilisable."},
	CriterionMany:       {Other: "Une relecture ne juge pas plus de critères qu'elle n'en a jugé avant celui-ci."},
	CriterionNoReason:   {Other: "Le modèle n'a donné aucune raison."},
	CriterionUnproven:   {Other: "Aucun code présent dans la nouvelle version et qui le réalise n'a été cité."},
	CriterionUnsearched: {Other: "Il a été dit absent sans avoir été cherché."},
	CriterionWithheld:   {Other: "La raison répète le ticket, elle n'est donc pas montrée."},

	AsideSize: {One: "au-delà du commentaire accordé à une modification de cette taille ({0})",
		Other: "au-delà des {0} commentaires accordés à une modification de cette taille"},
	AsideFile:       {One: "au-delà du commentaire accordé à un fichier ({0})", Other: "au-delà des {0} commentaires accordés à un fichier"},
	AsideReview:     {One: "au-delà du commentaire permis par relecture ({0})", Other: "au-delà des {0} commentaires permis par relecture"},
	AsideNoLine:     {Other: "ne concerne pas une ligne précise"},
	AsideOutside:    {Other: "le diff ne montre pas ces lignes"},
	AsideBinary:     {Other: "un fichier binaire n’a pas de lignes"},
	AsideLarge:      {Other: "le diff du fichier est trop grand"},
	AsideReviewed:   {Other: "sur des lignes qu’une relecture précédente a lues"},
	AsideUnheard:    {Other: "le modèle n’a donné aucune réponse qui le vérifie"},
	AsideSecond:     {Other: "confirmé par un second avis seulement"},
	AsideMinor:      {Other: "la maintenabilité et la documentation ne reçoivent pas de commentaires sur les lignes"},
	AsideLaterRound: {Other: "trouvé lors d’une passe ultérieure"},
	AsideDoubtful:   {Other: "peut-être pas un secret"},
	AsideIntended:   {Other: "voulu ainsi, d’après la modification"},

	TitleSecret:       {Other: "Retirer le secret versionné\u00a0: {0}"},
	TitleMaybeSecret:  {Other: "Vérifier une valeur qui pourrait être un secret\u00a0: {0}"},
	TitleBidi:         {Other: "Retirer les caractères de contrôle bidirectionnels"},
	TitleTag:          {Other: "Retirer les caractères d’étiquette invisibles"},
	TitleZeroWidth:    {Other: "Retirer les caractères invisibles"},
	TitlePermissions:  {Other: "Le jeton du workflow reçoit des droits plus larges"},
	TitleCheckout:     {Other: "Un workflow privilégié extrait le code de la pull request"},
	TitleGo:           {Other: "Le fichier Go ne s’analyse pas"},
	TitleLockHost:     {Other: "Vérifier la nouvelle source de paquets verrouillés : {0}"},
	TitleLockPlain:    {Other: "Récupérer les paquets verrouillés par HTTPS"},
	TitleLockGit:      {Other: "Vérifier le paquet verrouillé issu d’un dépôt Git"},
	TitleLockDigest:   {Other: "Rétablir l’empreinte du paquet verrouillé"},
	TitleLockOther:    {Other: "Vérifier le paquet verrouillé qui est récupéré comme un autre"},
	TitleLockChanged:  {Other: "Vérifier pourquoi l’empreinte d’une version verrouillée a changé"},
	TitleDockerAdd:    {Other: "Ajouter une somme de contrôle au fichier distant d’`ADD`"},
	TitleDockerPipe:   {Other: "Vérifier un téléchargement avant de l’exécuter"},
	TitleDockerArg:    {Other: "Passer le secret {0} par un montage de secret"},
	TitleDockerEnv:    {Other: "Garder le secret {0} hors de l’image"},
	TitleDockerTag:    {Other: "Indiquer une version de l’image {0}"},
	TitleDockerRoot:   {Other: "Ne pas exécuter le conteneur en root"},
	TitleInjection:    {Other: "Un texte extérieur devient une partie d’un script"},
	TitleMovingAction: {Other: "Fixer l’action {0} à un commit"},
	TitleLint:         {Other: "Corriger le défaut dans le workflow ({0})"},
	TitleConflict:     {Other: "Résoudre les marqueurs de conflit de fusion"},
	SayMaybeSecret: {Other: "Cette valeur ressemble à un secret ({0}) seulement par le nom qui la précède, et elle se trouve là où " +
		"les exemples sont courants ou varie peu. " +
		"Elle ne fait pas échouer le contrôle. Si elle ouvre quelque chose, il faut la révoquer et en lire une nouvelle depuis " +
		"l’environnement ou un coffre de secrets."},
	SayUnrestricted: {Other: "Cette modification retire le bloc `permissions` qui limitait le jeton des tâches. " +
		"Il reçoit maintenant la valeur par défaut du dépôt, qui peut être l’accès en écriture à tout. Il faut remettre le bloc, avec " +
		"ce dont les tâches ont besoin."},
	SaySecret: {Other: "Cette modification ajoute ce qui ressemble à un secret ({0}). Quiconque peut lire le dépôt, ses forks ou " +
		"son historique peut s’en servir. " +
		"Il faut le révoquer et en créer un autre\u00a0: supprimer la ligne ne l’enlève pas de l’historique. Ensuite, le lire depuis " +
		"l’environnement ou un coffre de secrets."},
	SayBidi: {Other: "Cette modification ajoute des caractères qui changent l’ordre d’affichage du texte, de sorte que le code se " +
		"lit autrement qu’il ne s’exécute ({0}). " +
		"Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayBidiMore: {Other: "Cette modification ajoute des caractères qui changent l’ordre d’affichage du texte, de sorte que le code " +
		"se lit autrement qu’il ne s’exécute ({0}). " +
		"Autres lignes\u00a0: {1}. Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayTag: {Other: "Cette modification ajoute des caractères d’étiquette ou des sélecteurs de variante qui peuvent porter un texte " +
		"caché, par exemple des instructions pour un modèle de langage ({0}). " +
		"Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayTagMore: {Other: "Cette modification ajoute des caractères d’étiquette ou des sélecteurs de variante qui peuvent porter un " +
		"texte caché, par exemple des instructions pour un modèle de langage ({0}). " +
		"Autres lignes\u00a0: {1}. Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayZeroWidth: {Other: "Cette modification ajoute des caractères sans largeur, de sorte que deux noms d’apparence identique " +
		"peuvent différer ({0}). " +
		"Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayZeroWidthMore: {Other: "Cette modification ajoute des caractères sans largeur, de sorte que deux noms d’apparence " +
		"identique peuvent différer ({0}). " +
		"Autres lignes\u00a0: {1}. Les retirer, ou les écrire sous forme échappée là où un programme en a besoin."},
	SayPermission: {Other: "Cette modification donne au jeton du job {0}, qu’il n’avait pas auparavant. Chaque étape et chaque " +
		"action du job peut s’en servir. " +
		"Ne l’accorder qu’au job qui en a besoin."},
	SayPermissions: {Other: "Cette modification donne au jeton du job le droit d’écriture sur tout (`write-all`), qu’il n’avait pas " +
		"auparavant. Chaque étape et chaque action du job peut s’en servir. " +
		"Ne l’accorder qu’au job qui en a besoin."},
	SayCheckout: {Other: "Un workflow lancé par `pull_request_target` ou `workflow_run` dispose des secrets du dépôt et d’un jeton " +
		"en écriture, et il extrait ici le " +
		"code de la pull request. Quiconque peut ouvrir une pull request peut alors exécuter du code avec eux. Utiliser le déclencheur " +
		"`pull_request`, ou ne pas extraire ce code."},
	SayGo: {Other: "L’analyseur Go s’arrête à la ligne {0}\u00a0: {1}. Le paquet ne compilera pas."},
	SayLockHost: {Other: "Avec cette modification, le fichier de verrouillage prend des paquets sur {0}. Il ne cite pas cette " +
		"source dans la branche cible, et ce n’est aucun des registres publics. Les paquets s’installent depuis l’endroit qu’indique " +
		"ce fichier, quoi que dise le manifeste. Régénérer le fichier avec le gestionnaire de paquets, ou confirmer que l’hôte est le vôtre."},
	SayLockPlain: {Other: "Avec cette modification, le fichier de verrouillage récupère sans chiffrement depuis {0} : quiconque " +
		"se trouve sur le chemin peut remplacer le paquet. Donner l’adresse en https."},
	SayLockGit: {Other: "Avec cette modification, le fichier de verrouillage prend un paquet du dépôt Git {0}, qu’il ne cite " +
		"pas dans la branche cible. Aucun registre ne vérifie son contenu. Utiliser une version publiée, ou confirmer que c’est le bon dépôt."},
	SayLockDigest: {Other: "Cette modification ajoute ou déplace dans le fichier de verrouillage un paquet sans empreinte, alors " +
		"que d’autres en ont une. Sans elle, le gestionnaire installe ce que le serveur envoie. " +
		"Régénérer le fichier avec le gestionnaire de paquets."},
	SayLockOther: {Other: "Avec cette modification, le fichier de verrouillage récupère {1} pour le paquet {0}. Le gestionnaire " +
		"installe l’archive que nomme l’adresse, quoi que dise le manifeste. " +
		"Régénérer le fichier avec le gestionnaire, ou confirmer qu’un alias est voulu."},
	SayLockChanged: {Other: "Cette modification donne à {0} une autre empreinte sans autre version ni adresse. Une version publiée " +
		"ne change pas de contenu\u00a0: le paquet a été remplacé ou l’empreinte modifiée. Régénérer le fichier avec le gestionnaire " +
		"et comparer l’empreinte à celle du registre."},
	SayDockerAdd: {Other: "Cet `ADD` télécharge depuis une adresse sans somme de contrôle, si bien que l’image reçoit ce que le serveur " +
		"envoie au moment de la construction. Ajoutez `--checksum=sha256:…`, ou le commit complet d’un dépôt Git."},
	SayDockerPipe: {Other: "Cette commande donne un téléchargement directement à un interpréteur. Le serveur décide de ce qui s’exécute " +
		"pendant la construction, et un téléchargement interrompu s’exécute en partie. Enregistrez le fichier, comparez " +
		"sa somme de contrôle, puis exécutez-le, ou installez un paquet d’une version fixe."},
	SayDockerArg: {Other: "L’argument de construction {0} porte le nom d’un secret. L’historique d’une image et le relevé de sa " +
		"construction peuvent montrer les valeurs de ces arguments. Utilisez plutôt `RUN --mount=type=secret`."},
	SayDockerEnv: {Other: "Cette modification met une valeur pour {0} dans l’environnement de l’image. Quiconque peut obtenir l’image " +
		"peut la lire, même si une instruction suivante la change. Passez-la au démarrage du conteneur, ou utilisez " +
		"`RUN --mount=type=secret` pendant la construction. Si la valeur ouvre quelque chose, remplacez-la."},
	SayDockerTag: {Other: "L’image {0} est nommée sans version, si bien que chaque construction peut en obtenir une autre et qu’aucune ne " +
		"peut être répétée. Indiquez une étiquette avec une version, ou mieux une empreinte."},
	SayDockerRoot: {Other: "La dernière étape de ce Dockerfile démarre son programme en root, si bien qu’une faille du programme donne " +
		"tous les droits dans le conteneur. Créez un utilisateur et nommez-le avec `USER`."},
	SayInjection: {Other: "L’expression {0} met dans un script un texte qu’une personne extérieure peut choisir, par exemple un titre ou " +
		"un nom de branche. GitHub insère ce texte avant la lecture du script, si bien qu’il peut exécuter des " +
		"commandes avec le jeton et les secrets du job. Mettez-le dans une variable sous `env`, et utilisez la variable " +
		"entre guillemets."},
	SayMovingAction: {Other: "L’action {0} est nommée par {1}, que son propriétaire, ou un attaquant avec son compte, peut déplacer vers un " +
		"autre code. Ce code s’exécute avec le jeton et les secrets du job. Indiquez le commit complet, avec la version " +
		"en commentaire."},
	SayLint: {Other: "L’analyseur actionlint signale pour ce workflow\u00a0: {0}. Le workflow peut échouer ou faire autre chose " +
		"que ce que son texte laisse croire. Corrigez la ligne."},
	SayAnalyser: {Other: "L’analyseur {0} signale selon sa règle {1}\u00a0: {2}."},
	SayRulePlaces: {One: "{0} autre endroit de cette modification correspond à cette règle. {1}",
		Other: "{0} autres endroits de cette modification correspondent à cette règle. {1}"},
	SayConflict: {Other: "Cette modification ajoute les marqueurs d’une fusion inachevée (`<<<<<<<` et `>>>>>>>`). " +
		"Choisir un côté et supprimer les marqueurs."},
	TitleGoPattern: {Other: "Ce code Go est faux pour toute entrée\u00a0: {0}"},
	SayGoFormat: {Other: "L’appel de {0} donne {1} arguments à un format qui en prend {2}. La sortie contient alors `%!` " +
		"et une remarque au lieu des valeurs. Accordez le format et les arguments."},
	SayGoUnused: {Other: "{0} ne fait que renvoyer une valeur, et cette instruction la rejette, si bien qu’elle ne fait " +
		"rien. Utilisez la valeur ou supprimez l’instruction."},
	SayGoSame: {Other: "{0} figure des deux côtés, si bien que l’opération n’a aucun effet ou un résultat fixe. Un côté " +
		"nomme sans doute la mauvaise variable."},
	SayGoConstant: {Other: "La condition {0} a le même résultat pour toute valeur, si bien qu’une branche ne s’exécute " +
		"jamais. Vérifiez ses opérateurs et ses constantes."},
	SayGoRepeated: {Other: "Une branche précédente a la même condition {0}, si bien que celle-ci ne s’exécute jamais. " +
		"Corrigez l’une des deux ou supprimez cette branche."},
	SayGoLock: {Other: "Cette ligne diffère {0} une seconde fois au lieu de la libération. Le verrou reste pris, et un " +
		"mutex bloque ici à jamais. Différez la libération."},
	SayGoRecover: {Other: "`recover` n’arrête un `panic` que si une fonction différée l’appelle. Différé lui-même, il " +
		"n’a aucun effet. Appelez-le dans `defer func() { … }()`."},
	SayGoLateAdd: {Other: "Cette goroutine s’ajoute à {0} après son démarrage. `Wait` peut revenir avant et ne l’attend " +
		"pas. Appelez `Add` avant l’instruction `go`."},
	SayGoTag: {Other: "L’étiquette de ce champ n’a pas pour {0} la forme que lit le paquet `reflect`, ou répète la clé. " +
		"Le programme ignore cette partie. Écrivez des paires `key:\"value\"` séparées par une espace."},
	SayGoName: {Other: "Deux champs de cette structure ont le nom JSON {0}. Le paquet `encoding/json` omet les deux sans " +
		"erreur. Donnez à chaque champ son propre nom."},
	SayGoBody: {Other: "Si l’appel échoue, {0} vaut `nil`, et cette ligne provoque un `panic` avant le contrôle de " +
		"l’erreur. Contrôlez d’abord l’erreur."},
	TitleMigrationDrop:  {Other: "La migration supprime {0} et ses données"},
	TitleMigrationNull:  {Other: "La nouvelle colonne {0} n’a pas de valeur pour les lignes existantes"},
	TitleMigrationIndex: {Other: "Construire l’index sur {0} sans bloquer les écritures"},
	SayMigrationDrop: {Other: "Cette migration retire {0}, et annuler la version ne rend pas ses données. Les programmes " +
		"de la version précédente encore en marche échouent s’ils l’utilisent. Retirez-la dans une version ultérieure au " +
		"dernier code qui l’utilise, et gardez une sauvegarde."},
	SayMigrationNull: {Other: "La colonne {0} est `NOT NULL` sans valeur par défaut, si bien que cette instruction " +
		"échoue dès que {1} a une ligne. Donnez une valeur par défaut, ou ajoutez-la sans `NOT NULL`, remplissez-la, puis " +
		"posez `NOT NULL`."},
	SayMigrationIndex: {Other: "PostgreSQL bloque toute écriture dans {0} pendant la construction de cet index. Utilisez " +
		"`CREATE INDEX CONCURRENTLY` dans une migration hors transaction."},
	TitleManifestLock:     {Other: "Le fichier de verrouillage ne correspond pas au manifeste\u00a0: {0}"},
	TitleInstallScript:    {Other: "Vérifier le nouveau script d’installation\u00a0: {0}"},
	TitleManifestSource:   {Other: "Vérifier la dépendance hors registre\u00a0: {0}"},
	TitleManifestRegistry: {Other: "Vérifier le nouveau registre de paquets\u00a0: {0}"},
	SayManifestMissing: {Other: "Le manifeste cite {0}, et {1} ne l’a pas. Une installation selon le fichier de " +
		"verrouillage échoue ou prend une version non relue. Lancez le gestionnaire de paquets et validez les deux fichiers."},
	SayManifestVersion: {Other: "Le manifeste demande {0} {1}, et le fichier de verrouillage a été fait pour {2}. Une " +
		"installation selon ce fichier échoue ou prend une autre version que celle du manifeste. Lancez le gestionnaire de " +
		"paquets et validez les deux fichiers."},
	SayInstallScript: {Other: "Avec cette modification, {0} exécute un script pendant l’installation, avec les droits et " +
		"les secrets de chaque machine qui l’installe. La base ne l’exécute pas. Lisez le script avant de fusionner."},
	SayManifestSource: {Other: "Cette modification prend {0} sur {1} et non dans un registre, où une version publiée ne " +
		"peut pas changer. Utilisez une version publiée, ou confirmez l’adresse et citez un commit complet ou une empreinte."},
	SayManifestRegistry: {Other: "Cette modification cite le registre {0}, que le fichier ne cite pas dans la base et " +
		"qui n’est pas public. Un paquet du même nom peut y remplacer celui que vous voulez. Confirmez que le registre est le " +
		"vôtre."},
	NoticeSwitches: {Other: "De nouveaux commentaires désactivent des constats d’analyseurs\u00a0: {0}."},
	SaySecretOld: {Other: "Cette modification ajoute ce qui ressemble à un secret ({0}), et la base contient déjà la " +
		"même valeur. Tout lecteur du dépôt peut l’utiliser. Révoquez-le et créez-en un autre, puis retirez-le partout et " +
		"lisez-le dans l’environnement ou un coffre à secrets."},
	SayMaybeSecretOld: {Other: "Cette valeur ressemble à un secret ({0}) seulement par le nom qui la précède, et la base contient " +
		"déjà la même valeur. Elle ne fait pas échouer le contrôle. Si elle ouvre quelque chose, il faut la révoquer et la " +
		"retirer partout."},
}
