package wording

var spanishStored = table{
	PartsReviewed:  {Other: "se revisaron {0} de {1} partes del cambio"},
	GroupsVerified: {Other: "se verificaron {0} de {1} grupos de hallazgos"},
	FilesTooLarge:  {One: "{0} archivo era demasiado grande para revisarlo", Other: "{0} archivos eran demasiado grandes para revisarlos"},
	FilesUnchecked: {Other: "no se pudieron comprobar {0} de {1} archivos"},
	FilesUnproven: {One: "no se leyó {0} archivo que puede estar escrito a mano",
		Other: "no se leyeron {0} archivos que pueden estar escritos a mano"},
	MoreInChange:   {Other: "el cambio tiene más archivos"},
	BudgetUsed:     {Other: "el presupuesto está agotado"},
	NoUsableAnswer: {Other: "el modelo no dio ninguna respuesta utilizable (0 de {0} partes del cambio)"},
	TooLong:        {Other: "el cambio es demasiado largo para el contexto del modelo (0 de {0} partes)"},
	SomeParts:      {Other: "algunas partes no se revisaron"},

	WhyLargeChange:   {Other: "cambio demasiado grande para un modelo"},
	WhyLargeFile:     {Other: "archivo demasiado grande: solo se leyeron las líneas cambiadas"},
	WhyManyFiles:     {Other: "más allá de los archivos que se leen a través del servidor: solo se leyeron las líneas cambiadas"},
	WhyNotSelected:   {Other: "fuera de las líneas de más riesgo de un cambio grande"},
	WhyReduced:       {Other: "revisión reducida"},
	WhyExcluded:      {Other: "excluido por la política"},
	WhyNotIncluded:   {Other: "no incluido por la política"},
	WhyUnchecked:     {Other: "no se pudo comprobar dentro de los límites"},
	WhyUncheckedFile: {Other: "el archivo no se pudo comprobar dentro de los límites: solo se leyeron las líneas cambiadas"},
	WhyChecksOnly:    {Other: "solo comprobaciones deterministas"},
	WhyTooLong:       {Other: "demasiado largo para el modelo"},
	WhyTooMuch:       {Other: "cambio demasiado grande"},
	WhyNoAnswer:      {Other: "el modelo no dio ninguna respuesta utilizable"},
	WhyFault:         {Other: "sin comprobar: un fallo del programa terminó la revisión de esta parte"},
	WhyForm:          {Other: "no se pudieron leer hallazgos del modelo"},
	WhyBrokeOff:      {Other: "la respuesta del modelo se interrumpió"},
	WhyMore:          {Other: "el modelo encontró más de lo que cabe en una respuesta"},
	WhyBudget:        {Other: "el presupuesto para modelos está agotado"},
	WhyWorkflow:      {Other: "flujo de trabajo demasiado grande o anidado para comprobarlo"},
	WhyRuleBroken:    {Other: "errores de sintaxis, por lo que no se compararon las reglas con un patrón de código"},
	WhyRuleBound: {Other: "demasiado grande o no disponible, por lo que las reglas con un patrón no se " +
		"compararon en todas partes"},
	WhyGo:                {Other: "demasiado grande o anidado para analizarlo"},
	WhyCut:               {Other: "más hallazgos de los que lista una revisión"},
	WhySecrets:           {Other: "más secretos de los que se pueden sustituir en una consulta"},
	WhyBinaryText:        {Other: "más texto en archivos binarios del que se busca en pos de secretos"},
	WhyMarked:            {Other: "generado, según dice solo este cambio"},
	WhyMinifiedHere:      {Other: "minificado, según dice solo este cambio"},
	WhyUnproven:          {Other: "con nombre de código generado, lo que nada en él confirma"},
	WhyVendoredHere:      {Other: "código de terceros, según dice solo este cambio"},
	WhyVendoredEdit:      {Other: "código de terceros, cambiado sin su lista de paquetes"},
	WhyByMark:            {Other: "generado, según su propia marca"},
	WhyLFS:               {Other: "su contenido está en Git LFS y no se leyó"},
	WhyLongData:          {Other: "solo se mostró el principio de las líneas largas de datos"},
	WhyOutputs:           {Other: "salidas de un cuaderno no mostradas"},
	WhyDeleted:           {Other: "eliminado"},
	WhyNoLine:            {Other: "ninguna línea cambiada"},
	WhyWasText:           {Other: "era texto y ya no se puede leer como tal"},
	WhyNoText:            {Other: "no se puede leer como texto, aunque un programa pueda ejecutarlo"},
	WhyOmittedLarge:      {Other: "cambio mayor de lo permitido"},
	WhyOmittedByHost:     {Other: "cambio no mostrado por el servidor"},
	WhyOmittedUnreadable: {Other: "cambio ilegible tal como lo da el servidor"},
	WhyOmittedPath:       {Other: "ruta que ninguna copia de trabajo puede tener"},
	WhyDocs:              {Other: "documentación"},
	WhyGenerated:         {Other: "generado"},
	WhyVendored:          {Other: "código de terceros"},
	WhyLock:              {Other: "archivo de bloqueo de versiones"},
	WhyMinified:          {Other: "minificado"},
	WhyBinary:            {Other: "binario"},
	WhyData:              {Other: "datos"},
	WhySubmodule:         {Other: "submódulo"},
	WhySymlink:           {Other: "enlace simbólico"},

	NoticeChecksCut:       {Other: "Las comprobaciones encontraron {0} hallazgos más que los {1} que lista una revisión."},
	NoticeAnalysersCut:    {Other: "Los analizadores encontraron {0} hallazgos más que los {1} que lista una revisión."},
	NoticeAnalysersFailed: {Other: "Estos analizadores indican que no terminaron: {0}. Sus resultados pueden estar incompletos."},
	NoticeAnalysersLeft: {One: "{0} resultado de analizadores ({1}) no está en esta revisión. La página de la ejecución indica el motivo.",
		Other: "{0} resultados de analizadores ({1}) no están en esta revisión. La página de la ejecución indica los motivos."},
	NoticeUnexplainedModel: {Other: "Ningún modelo explica los resultados de los analizadores en esta revisión, porque ninguno " +
		"participó o la revisión es reducida."},
	NoticeUnexplainedBudget: {Other: "Ningún modelo explica los resultados de los analizadores en esta revisión, porque se agotó un " +
		"presupuesto o un límite."},
	NoticeUnexplainedAnswer: {Other: "Ningún modelo explica los resultados de los analizadores en esta revisión, porque su respuesta " +
		"faltó o no se pudo usar."},
	NoticeUnexplainedSome: {One: "{0} resultado de los analizadores no tiene explicación: el modelo no dio ninguna que se pueda mostrar.",
		Other: "{0} resultados de los analizadores no tienen explicación: el modelo no dio ninguna que se " +
			"pueda mostrar, o eran demasiados para una llamada."},
	NoticeAnalysersOff: {Other: "No se usaron los resultados de los analizadores, porque el ajuste " +
		"`deterministic.staticAnalysis` está desactivado."},
	NoticeHidden: {Other: "El título o la descripción contiene caracteres que no se ven; los modelos no los recibieron."},
	NoticeSecretPrints: {One: "{0} secreto se muestra de nuevo: su supresión es de una versión que no comparaba los " +
		"valores de los secretos. Suprímalo otra vez para omitirlo.",
		Other: "{0} secretos se muestran de nuevo: sus supresiones son de una versión que no " +
			"comparaba los valores de los secretos. Suprímalos otra vez para omitirlos."},
	NoticeUnchecked: {One: "{0} archivo no se pudo comprobar dentro de los límites de memoria y tiempo; ningún modelo lo vio.",
		Other: "{0} archivos no se pudieron comprobar dentro de los límites de memoria y tiempo; ningún modelo los vio."},
	NoticeInstructions: {Other: "El cambio edita lo que instruye a revisores automáticos o asistentes; cuenta la versión de la " +
		"rama base, y una persona debería leer la nueva: {0}."},
	NoticeRules: {Other: "A este cambio le afectan más reglas de las que caben en una consulta ({0}, o {1} tokens); no " +
		"todas se comprobaron en todas partes: {2}."},
	NoticeRuleTime: {Other: "Estas reglas no se compararon con todo el cambio, porque tardaba demasiado: {0}."},
	NoticeRulePattern: {Other: "Estas reglas no se comprobaron, porque sus patrones no se pueden leer: {0}. Se " +
		"editan en la página de reglas."},
	NoticeRuleProgram: {Other: "Estas reglas no se comprobaron, porque ast-grep no está configurado, no puede " +
		"ejecutarse aquí o falló: {0}. El operador puede ejecutar assay doctor."},
	NoticeLooks: {One: "Se omitió {0} pasada sobre una parte del cambio: una revisión de esta profundidad tiene como " +
		"máximo {1} conversaciones con modelos.", Other: "Se omitieron {0} pasadas sobre partes del cambio: una revisión de esta " +
		"profundidad tiene como máximo {1} conversaciones con modelos."},
	NoticeLookup:    {Other: "Lo que otros archivos tienen que ver con este cambio no se pudo consultar por completo."},
	NoticeLongLines: {Other: "De las líneas más largas, el modelo solo vio los primeros {0} caracteres en: {1}."},
	NoticeOutputs:   {Other: "Han cambiado salidas, adjuntos o metadatos de cuadernos que ningún modelo ha visto: {0}."},
	NoticeThroughHost: {Other: "El repositorio supera los límites dentro de los cuales se lee aquí con git; " +
		"el cambio se leyó a través del servidor."},
	NoticeHostLists: {Other: "El servidor solo lista los primeros {0} archivos de este cambio; los demás no se leyeron."},
	NoticeGuidelinesUnread: {Other: "Archivos de directrices que no se leyeron (enlaces, demasiado grandes, sin texto, sin listar o " +
		"con una cabecera incomprensible): {0}."},
	NoticeGuidelinesCut: {Other: "Archivos de directrices que no se leyeron enteros, porque una revisión lee 8 KB de cada uno " +
		"y 24 KB en total: {0}."},
	NoticeGuidelinesSilent: {Other: "Archivos de directrices con los que no se comparó el cambio, porque ningún modelo respondió o " +
		"se agotó el presupuesto: {0}."},
	NoticeGuidelinesBase: {Other: "No se pudieron leer los archivos de directrices de la rama base; el cambio no se comparó con ellos."},
	NoticeFileSettings:   {Other: "Tras la fusión, la nueva versión de {0} cambia: {1}."},
	NoticeFileSame:       {Other: "Tras la fusión, la nueva versión de {0} no cambia ningún ajuste ni ninguna regla."},
	NoticeFileReviews: {One: "{0} de las últimas {1} revisiones habría mostrado sus hallazgos de otra forma, según los hallazgos guardados.",
		Other: "{0} de las últimas {1} revisiones habrían mostrado sus hallazgos de otra forma, según los hallazgos guardados."},
	NoticeFileRefused: {Other: "Entradas de la nueva versión que no tendrían efecto: {0}"},
	NoticeTrackers: {One: "{0} gestor de incidencias no respondió; es posible que aquí falten incidencias a las que pertenece el cambio.",
		Other: "{0} gestores de incidencias no respondieron; es posible que aquí falten incidencias a las que pertenece el cambio."},
	NoticePanelKeyGone: {Other: "El panel no ha mirado: su clave de modelo ya no existe o no se puede usar " +
		"({0} de {1} partes del cambio)."},
	NoticePanelKeyUnfit: {Other: "El panel no ha mirado: la política de modelos no permite la región de su clave " +
		"({0} de {1} partes del cambio)."},
	NoticePanelSameVendor: {Other: "El panel no ha mirado: su modelo es del mismo proveedor que el de otro nivel " +
		"({0} de {1} partes del cambio)."},
	NoticePanelReduced: {Other: "El panel no ha mirado: un cambio externo recibe una revisión reducida " +
		"({0} de {1} partes del cambio)."},
	NoticePanelRefused: {Other: "El panel no ha mirado: su proveedor rechazó la clave de modelo " +
		"({0} de {1} partes del cambio)."},
	NoticePanelQuota: {Other: "El panel no ha mirado: la cuenta en su proveedor no tiene crédito " +
		"({0} de {1} partes del cambio)."},
	NoticePanelRate: {Other: "El panel no ha mirado: su proveedor limita la frecuencia de las llamadas " +
		"({0} de {1} partes del cambio)."},
	NoticePanelDown: {Other: "El panel no ha mirado: su proveedor no respondió " +
		"({0} de {1} partes del cambio)."},
	NoticePanelRequest: {Other: "El panel no ha mirado: su proveedor rechazó la solicitud " +
		"({0} de {1} partes del cambio)."},
	NoticePanelBudget: {Other: "El panel no ha mirado: el presupuesto o un límite no deja espacio para sus llamadas " +
		"({0} de {1} partes del cambio)."},
	NoticePanelTooLong: {Other: "El panel no ha mirado: el texto es demasiado largo para su modelo " +
		"({0} de {1} partes del cambio)."},
	NoticePanelNoAnswer: {Other: "El panel no ha mirado: su modelo no dio una respuesta utilizable " +
		"({0} de {1} partes del cambio)."},
	NoticePanelRoom: {Other: "El panel no ha mirado: a una revisión de esta profundidad no le quedan conversaciones para él " +
		"({0} de {1} partes del cambio)."},
	NoticeFiles: {Other: "El cambio tiene más archivos que los {0} que se leen; {1} quedaron fuera."},

	EndPublished:    {Other: "La revisión está publicada."},
	EndPolicy:       {Other: "La política de este repositorio no pide una revisión aquí."},
	EndSuperseded:   {Other: "Llegó un commit más reciente, que tiene su propia ejecución."},
	EndRetargeted:   {Other: "La rama de destino cambió, y la revisión frente a la nueva tiene su propia ejecución."},
	EndClosed:       {Other: "La pull request se cerró o pasó a borrador."},
	EndGone:         {Other: "El servidor ya no muestra la pull request."},
	EndDisconnected: {Other: "El repositorio ya no está conectado."},
	EndCrashed: {Other: "La revisión hizo caer sus procesos una y otra vez, así que este commit no se vuelve a " +
		"intentar automáticamente."},
	EndError:            {Other: "La revisión no se pudo terminar."},
	EndModelUnavailable: {Other: "Ningún modelo respondió, y las comprobaciones deterministas no encontraron nada."},
	EndModelFruitless:   {Other: "Ninguna respuesta del modelo fue utilizable, y las comprobaciones deterministas no encontraron nada."},
	EndModelRejected:    {Other: "El proveedor del modelo rechaza el esfuerzo de razonamiento configurado."},
	EndSlotBusy: {Other: "Hay un borrador de revisión ajeno abierto en nuestro nombre en la pull request; el servidor " +
		"acepta otro solo cuando ese se envíe o se borre."},
	EndDeleted:  {Other: "Alguien borró el borrador de la revisión antes de que se publicara."},
	EndRefused:  {Other: "El servidor rechaza el texto de la revisión."},
	EndWithheld: {Other: "Lo que la revisión dice de una incidencia ya no debe conocerse aquí, y el servidor no permite cambiar su borrador."},
	EndRejected: {Other: "La revisión se rechazó antes de publicarse."},
	EndExpired:  {Other: "Nadie aprobó la revisión a tiempo."},

	SkipOff:      {Other: "las revisiones están desactivadas en este repositorio"},
	SkipPaused:   {Other: "las revisiones de esta pull request están en pausa"},
	SkipNotOpen:  {Other: "la pull request no está abierta"},
	SkipDraft:    {Other: "la pull request es un borrador"},
	SkipOpening:  {Other: "abrir una pull request no inicia aquí una revisión"},
	SkipPush:     {Other: "un push no inicia aquí una revisión"},
	SkipReady:    {Other: "dejar de ser borrador no inicia aquí una revisión"},
	SkipRetarget: {Other: "otra rama de destino no inicia aquí una revisión"},
	SkipBot:      {Other: "el autor es un bot"},
	SkipAuthor:   {Other: "el autor está excluido"},
	SkipLabels:   {Other: "no está puesta ninguna de las etiquetas que piden una revisión"},
	SkipBranch:   {Other: "la rama de destino no es una de las que se revisan"},
	SkipOnRequest: {Other: "viene de fuera, y esas pull requests se revisan aquí cuando alguien que puede escribir en el " +
		"repositorio comenta `/assay review`"},
	NoAnswerWithin: {Other: "no respondió en {0}; el último mensaje fue: {1}"},
	EffortRejected: {Other: "el proveedor del modelo rechazó el esfuerzo de razonamiento: {0}"},

	CriterionNoModel:    {Other: "Ningún modelo lo ha mirado."},
	CriterionBudget:     {Other: "El presupuesto para modelos está agotado."},
	CriterionTooLong:    {Other: "Es demasiado largo para el modelo."},
	CriterionNoAnswer:   {Other: "El modelo no dio ninguna respuesta utilizable."},
	CriterionMany:       {Other: "Una revisión no juzga más criterios que los que ha juzgado antes de este."},
	CriterionNoReason:   {Other: "El modelo no dio ninguna razón."},
	CriterionUnproven:   {Other: "No se citó ningún código de la nueva versión que lo haga."},
	CriterionUnsearched: {Other: "Se dijo que falta sin haberlo buscado."},
	CriterionWithheld:   {Other: "La razón repite el ticket, por eso no se muestra."},

	AsideSize: {One: "más allá del comentario que recibe un cambio de este tamaño ({0})",
		Other: "más allá de los {0} comentarios que recibe un cambio de este tamaño"},
	AsideFile: {One: "más allá del comentario que recibe un archivo ({0})",
		Other: "más allá de los {0} comentarios que recibe un archivo"},
	AsideReview: {One: "más allá del comentario que puede tener una revisión ({0})",
		Other: "más allá de los {0} comentarios que puede tener una revisión"},
	AsideNoLine:     {Other: "no trata de una línea concreta"},
	AsideOutside:    {Other: "el diff no muestra esas líneas"},
	AsideBinary:     {Other: "un archivo binario no tiene líneas"},
	AsideLarge:      {Other: "el diff del archivo es demasiado grande"},
	AsideReviewed:   {Other: "en líneas que una revisión anterior ya leyó"},
	AsideUnheard:    {Other: "el modelo no dio ninguna respuesta que lo verifique"},
	AsideSecond:     {Other: "confirmado solo por una segunda opinión"},
	AsideMinor:      {Other: "mantenibilidad y documentación no reciben comentarios en las líneas"},
	AsideLaterRound: {Other: "de una ronda posterior"},
	AsideDoubtful:   {Other: "quizá no sea un secreto"},
	AsideIntended:   {Other: "es lo que quiere el cambio, según sus palabras"},

	TitleSecret:       {Other: "Quitar el secreto del repositorio: {0}"},
	TitleMaybeSecret:  {Other: "Comprobar un valor que podría ser un secreto: {0}"},
	TitleBidi:         {Other: "Quitar los caracteres de control bidireccionales"},
	TitleTag:          {Other: "Quitar los caracteres de etiqueta invisibles"},
	TitleZeroWidth:    {Other: "Quitar los caracteres invisibles"},
	TitlePermissions:  {Other: "El token del flujo de trabajo recibe permisos más amplios"},
	TitleCheckout:     {Other: "Un flujo de trabajo con privilegios obtiene el código de la pull request"},
	TitleGo:           {Other: "El archivo Go no se puede analizar"},
	TitleLockHost:     {Other: "Comprobar el nuevo origen de paquetes fijados: {0}"},
	TitleLockPlain:    {Other: "Obtener los paquetes fijados por HTTPS"},
	TitleLockGit:      {Other: "Comprobar el paquete fijado que viene de un repositorio Git"},
	TitleLockDigest:   {Other: "Restablecer la suma de comprobación del paquete fijado"},
	TitleLockOther:    {Other: "Comprobar el paquete fijado que se descarga como otro"},
	TitleLockChanged:  {Other: "Comprobar por qué cambió la suma de una versión fijada"},
	TitleDockerAdd:    {Other: "Dar una suma de comprobación al archivo remoto de `ADD`"},
	TitleDockerPipe:   {Other: "Comprobar una descarga antes de ejecutarla"},
	TitleDockerArg:    {Other: "Pasar el secreto {0} con un montaje de secretos"},
	TitleDockerEnv:    {Other: "Mantener el secreto {0} fuera de la imagen"},
	TitleDockerTag:    {Other: "Indicar una versión de la imagen {0}"},
	TitleDockerRoot:   {Other: "No ejecutar el contenedor como root"},
	TitleInjection:    {Other: "Un texto de fuera pasa a ser parte de un script"},
	TitleMovingAction: {Other: "Fijar la acción {0} a un commit"},
	TitleLint:         {Other: "Corregir el fallo en el flujo de trabajo ({0})"},
	TitleConflict:     {Other: "Resolver los marcadores de conflicto de fusión"},
	SayMaybeSecret: {Other: "Este valor parece un secreto ({0}) solo por el nombre que tiene al lado, y está donde son " +
		"habituales los ejemplos o varía poco. " +
		"No hace fallar la comprobación. Si abre algo, hay que revocarlo y leer uno nuevo del entorno o de un almacén de secretos."},
	SayUnrestricted: {Other: "Este cambio quita el bloque `permissions` que limitaba el token de los trabajos. " +
		"Ahora recibe lo que el repositorio da por defecto, que puede ser permiso de escritura en todo. Hay que volver a poner el " +
		"bloque, con lo que necesitan los trabajos."},
	SaySecret: {Other: "Este cambio añade lo que parece un secreto ({0}). " +
		"Quien pueda leer el repositorio, sus forks o su historial puede usarlo. " +
		"Hay que revocarlo y crear otro: borrar la línea no lo quita del historial. Después, leerlo del entorno o de un almacén de secretos."},
	SayBidi: {Other: "Este cambio añade caracteres que alteran el orden en que se muestra el texto, de modo que el código se lee de " +
		"otra forma que como se ejecuta ({0}). " +
		"Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayBidiMore: {Other: "Este cambio añade caracteres que alteran el orden en que se muestra el texto, de modo que el código se " +
		"lee de otra forma que como se ejecuta ({0}). " +
		"Más líneas: {1}. Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayTag: {Other: "Este cambio añade caracteres de etiqueta o selectores de variación que pueden llevar un texto oculto, por " +
		"ejemplo instrucciones para un modelo de lenguaje ({0}). " +
		"Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayTagMore: {Other: "Este cambio añade caracteres de etiqueta o selectores de variación que pueden llevar un texto oculto, por " +
		"ejemplo instrucciones para un modelo de lenguaje ({0}). " +
		"Más líneas: {1}. Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayZeroWidth: {Other: "Este cambio añade caracteres sin anchura, de modo que dos nombres que parecen iguales pueden ser " +
		"distintos ({0}). " +
		"Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayZeroWidthMore: {Other: "Este cambio añade caracteres sin anchura, de modo que dos nombres que parecen iguales pueden " +
		"ser distintos ({0}). " +
		"Más líneas: {1}. Conviene quitarlos o, donde un programa los necesite, escribirlos como secuencias de escape."},
	SayPermission: {Other: "Este cambio da al token del trabajo {0}, que antes no tenía. " +
		"Todos los pasos y acciones del trabajo pueden usarlo. " +
		"Conviene concederlo solo al trabajo que lo necesita."},
	SayPermissions: {Other: "Este cambio da al token del trabajo permiso de escritura en todo (`write-all`), que antes no tenía. " +
		"Todos los pasos y acciones del trabajo pueden usarlo. " +
		"Conviene concederlo solo al trabajo que lo necesita."},
	SayCheckout: {Other: "Un flujo de trabajo iniciado por `pull_request_target` o `workflow_run` tiene los secretos del " +
		"repositorio y un token con escritura, y aquí obtiene el " +
		"código de la pull request. Quien pueda abrir una pull request puede entonces ejecutar código con ellos. Conviene usar el " +
		"evento `pull_request` o no obtener ese código."},
	SayGo: {Other: "El analizador de Go se detiene en la línea {0}: {1}. El paquete no compilará."},
	SayLockHost: {Other: "Con este cambio, el archivo de bloqueo toma paquetes de {0}. En la rama base no nombra ese origen, y " +
		"no es ninguno de los registros públicos. Los paquetes se instalan desde donde dice ese archivo, diga lo que diga el " +
		"manifiesto. Vuelve a generarlo con el gestor de paquetes o confirma que el servidor es vuestro."},
	SayLockPlain: {Other: "Con este cambio, el archivo de bloqueo descarga de {0} sin cifrado, de modo que cualquiera en el " +
		"camino puede sustituir el paquete. Indica la dirección con https."},
	SayLockGit: {Other: "Con este cambio, el archivo de bloqueo toma un paquete del repositorio Git {0}, que en la rama base no " +
		"nombra. Ningún registro comprueba lo que hay allí. Usa una versión publicada o confirma que es el repositorio correcto."},
	SayLockDigest: {Other: "Este cambio añade o mueve en el archivo de bloqueo un paquete sin suma de comprobación, mientras que " +
		"otros la tienen. Sin ella, el gestor instala lo que envíe el servidor. Vuelve a generar el archivo con el gestor de paquetes."},
	SayLockOther: {Other: "Con este cambio, el archivo de bloqueo descarga {1} para el paquete {0}. El gestor instala el archivo " +
		"que nombra la dirección, diga lo que diga el manifiesto. Vuelve a generar el archivo con el gestor o confirma que se " +
		"trata de un alias."},
	SayLockChanged: {Other: "Este cambio da a {0} otra suma de comprobación sin otra versión ni dirección. Una versión publicada no " +
		"cambia de contenido: se sustituyó el paquete o se editó la suma. Vuelve a generar el archivo con el gestor y compara la " +
		"suma con la del registro."},
	SayDockerAdd: {Other: "Este `ADD` descarga de una dirección sin suma de comprobación, de modo que la imagen recibe lo que el servidor " +
		"envíe al construirla. Añada `--checksum=sha256:…`, o el commit completo de un repositorio Git."},
	SayDockerPipe: {Other: "Esta orden da una descarga directamente a un intérprete. El servidor decide qué se ejecuta en la construcción, " +
		"y una descarga interrumpida se ejecuta en parte. Guarde el archivo, compare su suma de comprobación y " +
		"ejecútelo después, o instale un paquete de una versión fija."},
	SayDockerArg: {Other: "El argumento de construcción {0} tiene el nombre de un secreto. El historial de una imagen y el registro de su " +
		"construcción pueden mostrar los valores de esos argumentos. Use `RUN --mount=type=secret` en su lugar."},
	SayDockerEnv: {Other: "Este cambio pone un valor para {0} en el entorno de la imagen. Cualquiera que pueda obtener la imagen puede " +
		"leerlo, aunque una instrucción posterior lo cambie. Páselo al iniciar el contenedor, o use \"RUN " +
		"--mount=type=secret\" en la construcción. Si el valor abre algo, cámbielo."},
	SayDockerTag: {Other: "La imagen {0} se nombra sin versión, de modo que cada construcción puede obtener otra y ninguna se puede " +
		"repetir. Indique una etiqueta con versión o, mejor, un resumen."},
	SayDockerRoot: {Other: "La última etapa de este Dockerfile inicia su programa como root, de modo que un fallo del programa da todos " +
		"los permisos en el contenedor. Cree un usuario e indíquelo con `USER`."},
	SayInjection: {Other: "La expresión {0} pone en un script un texto que puede elegir una persona de fuera, por ejemplo un título o el " +
		"nombre de una rama. GitHub inserta el texto antes de que se lea el script, de modo que puede ejecutar órdenes " +
		"con el token y los secretos del trabajo. Póngalo en una variable en `env` y use la variable entre comillas."},
	SayMovingAction: {Other: "La acción {0} se nombra con {1}, que su dueño, o un atacante con su cuenta, puede mover a otro código. Ese " +
		"código se ejecuta con el token y los secretos del trabajo. Indique el commit completo, con la versión en un " +
		"comentario."},
	SayLint: {Other: "El analizador actionlint señala en este flujo de trabajo: {0}. El flujo puede fallar o hacer algo distinto " +
		"de lo que sugiere su texto. Corrija la línea."},
	SayAnalyser: {Other: "El analizador {0} señala según su regla {1}: {2}."},
	SayRulePlaces: {One: "{0} lugar más de este cambio coincide con esta regla. {1}",
		Other: "{0} lugares más de este cambio coinciden con esta regla. {1}"},
	SayConflict: {Other: "Este cambio añade los marcadores de una fusión sin terminar (`<<<<<<<` y `>>>>>>>`). " +
		"Hay que elegir un lado y borrar los marcadores."},
	TitleGoPattern: {Other: "Este código Go es erróneo con cualquier entrada: {0}"},
	SayGoFormat: {Other: "La llamada a {0} da {1} argumentos a un formato que toma {2}. La salida contiene entonces `%!` " +
		"y una nota en lugar de los valores. Haga coincidir el formato y los argumentos."},
	SayGoUnused: {Other: "{0} solo devuelve un valor, y esta instrucción lo descarta, así que no hace nada. Use el valor " +
		"o elimine la instrucción."},
	SayGoSame: {Other: "{0} está en ambos lados, así que la operación no tiene efecto o da un resultado fijo. Un lado " +
		"nombra probablemente la variable equivocada."},
	SayGoConstant: {Other: "La condición {0} da el mismo resultado con cualquier valor, así que una rama no se ejecuta " +
		"nunca. Revise sus operadores y constantes."},
	SayGoRepeated: {Other: "Una rama anterior tiene la misma condición {0}, así que esta no se ejecuta nunca. Corrija " +
		"una de las dos o elimine esta rama."},
	SayGoLock: {Other: "Esta línea aplaza {0} por segunda vez en lugar de la liberación. El bloqueo no se suelta, y un " +
		"mutex se detiene aquí para siempre. Aplace la liberación."},
	SayGoRecover: {Other: "`recover` solo detiene un `panic` si lo llama una función aplazada. Aplazado él mismo, no " +
		"tiene efecto. Llámelo dentro de `defer func() { … }()`."},
	SayGoLateAdd: {Other: "Esta goroutine se suma a {0} después de arrancar. `Wait` puede volver antes y no la espera. " +
		"Llame a `Add` antes de la instrucción `go`."},
	SayGoTag: {Other: "La etiqueta de este campo no tiene para {0} la forma que lee el paquete `reflect`, o repite la " +
		"clave. El programa ignora esa parte. Escriba pares `key:\"value\"` separados por un espacio."},
	SayGoName: {Other: "Dos campos de esta estructura tienen el nombre JSON {0}. El paquete `encoding/json` omite ambos " +
		"sin error. Dé a cada campo su propio nombre."},
	SayGoBody: {Other: "Si la llamada falla, {0} es `nil`, y esta línea provoca un `panic` antes de comprobar el error. " +
		"Compruebe primero el error."},
	TitleMigrationDrop:  {Other: "La migración elimina {0} con sus datos"},
	TitleMigrationNull:  {Other: "La nueva columna {0} no tiene valor para las filas existentes"},
	TitleMigrationIndex: {Other: "Construir el índice de {0} sin bloquear las escrituras"},
	SayMigrationDrop: {Other: "Esta migración quita {0}, y deshacer la versión no devuelve sus datos. Los programas de " +
		"la versión anterior que siguen en marcha fallan si lo usan. Quítelo en una versión posterior al último código que lo " +
		"usa, y guarde una copia."},
	SayMigrationNull: {Other: "La columna {0} es `NOT NULL` sin valor por defecto, así que esta instrucción falla en " +
		"cuanto {1} tiene una fila. Dé un valor por defecto, o añádala sin `NOT NULL`, rellénela y después ponga `NOT NULL`."},
	SayMigrationIndex: {Other: "PostgreSQL bloquea toda escritura en {0} mientras construye este índice. Use `CREATE " +
		"INDEX CONCURRENTLY` en una migración fuera de una transacción."},
	TitleManifestLock:     {Other: "El archivo de bloqueo no coincide con el manifiesto: {0}"},
	TitleInstallScript:    {Other: "Comprobar el nuevo script de instalación: {0}"},
	TitleManifestSource:   {Other: "Comprobar la dependencia de fuera de un registro: {0}"},
	TitleManifestRegistry: {Other: "Comprobar el nuevo registro de paquetes: {0}"},
	SayManifestMissing: {Other: "El manifiesto nombra {0}, y {1} no lo tiene. Una instalación según el archivo de " +
		"bloqueo falla o toma una versión no revisada. Ejecute el gestor de paquetes y confirme ambos archivos."},
	SayManifestVersion: {Other: "El manifiesto pide {0} {1}, y el archivo de bloqueo se hizo para {2}. Una instalación " +
		"según ese archivo falla o toma otra versión que la del manifiesto. Ejecute el gestor de paquetes y confirme ambos " +
		"archivos."},
	SayInstallScript: {Other: "Con este cambio, {0} ejecuta un script durante la instalación, con los permisos y " +
		"secretos de cada máquina que lo instala. La base no lo ejecuta. Lea el script antes de fusionar."},
	SayManifestSource: {Other: "Este cambio toma {0} de {1} y no de un registro, donde una versión publicada no puede " +
		"cambiar. Use una versión publicada, o confirme la dirección y nombre un commit completo o un resumen."},
	SayManifestRegistry: {Other: "Este cambio nombra el registro {0}, que el archivo no nombra en la base y que no es " +
		"público. Un paquete del mismo nombre puede sustituir allí al que usted quiere. Confirme que el registro es suyo."},
	NoticeSwitches: {Other: "Comentarios nuevos desactivan hallazgos de analizadores: {0}."},
	SaySecretOld: {Other: "Este cambio añade lo que parece un secreto ({0}), y la base ya tiene el mismo valor. Quien " +
		"lea el repositorio puede usarlo. Revóquelo y cree otro, después quítelo de todos los lugares y léalo del entorno o de " +
		"un almacén de secretos."},
	SayMaybeSecretOld: {Other: "Este valor parece un secreto ({0}) solo por el nombre que tiene al lado, y la base ya tiene el mismo " +
		"valor. No hace fallar la comprobación. Si abre algo, hay que revocarlo y quitarlo de todos los lugares."},
}
