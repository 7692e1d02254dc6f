package wording

var portugueseStored = table{
	PartsReviewed:  {Other: "{0} de {1} partes da alteração revisadas"},
	GroupsVerified: {Other: "{0} de {1} grupos de apontamentos verificados"},
	FilesTooLarge:  {One: "{0} arquivo grande demais para ser revisado", Other: "{0} arquivos grandes demais para serem revisados"},
	FilesUnchecked: {Other: "não foi possível verificar {0} de {1} arquivos"},
	FilesUnproven: {One: "{0} arquivo que pode ter sido escrito à mão não foi lido",
		Other: "{0} arquivos que podem ter sido escritos à mão não foram lidos"},
	MoreInChange:   {Other: "a alteração tem mais arquivos"},
	BudgetUsed:     {Other: "o orçamento acabou"},
	NoUsableAnswer: {Other: "o modelo não deu nenhuma resposta aproveitável (0 de {0} partes da alteração)"},
	TooLong:        {Other: "a alteração é longa demais para o contexto do modelo (0 de {0} partes)"},
	SomeParts:      {Other: "algumas partes não foram revisadas"},

	WhyLargeChange:   {Other: "alteração grande demais para um modelo"},
	WhyLargeFile:     {Other: "arquivo grande demais: só as linhas alteradas foram lidas"},
	WhyManyFiles:     {Other: "além dos arquivos que são lidos pelo servidor: só as linhas alteradas foram lidas"},
	WhyNotSelected:   {Other: "fora das linhas de maior risco de uma alteração grande"},
	WhyReduced:       {Other: "revisão reduzida"},
	WhyExcluded:      {Other: "excluído pela política"},
	WhyNotIncluded:   {Other: "não incluído pela política"},
	WhyUnchecked:     {Other: "não pôde ser verificado dentro dos limites"},
	WhyUncheckedFile: {Other: "o arquivo não pôde ser verificado dentro dos limites: só as linhas alteradas foram lidas"},
	WhyChecksOnly:    {Other: "somente verificações determinísticas"},
	WhyTooLong:       {Other: "longo demais para o modelo"},
	WhyTooMuch:       {Other: "alteração grande demais"},
	WhyNoAnswer:      {Other: "o modelo não deu nenhuma resposta aproveitável"},
	WhyFault:         {Other: "não verificado: uma falha do programa encerrou a revisão desta parte"},
	WhyForm:          {Other: "não foi possível ler achados do modelo"},
	WhyBrokeOff:      {Other: "a resposta do modelo foi interrompida"},
	WhyMore:          {Other: "o modelo encontrou mais do que cabe numa resposta"},
	WhyBudget:        {Other: "o orçamento para modelos acabou"},
	WhyWorkflow:      {Other: "fluxo de trabalho grande ou aninhado demais para ser verificado"},
	WhyRuleBroken:    {Other: "erros de sintaxe, de modo que as regras com um padrão de código não foram comparadas"},
	WhyRuleBound: {Other: "grande demais ou indisponível, de modo que as regras com um padrão não foram " +
		"comparadas em toda parte"},
	WhyGo:                {Other: "grande ou aninhado demais para ser analisado"},
	WhyCut:               {Other: "mais apontamentos do que uma revisão lista"},
	WhySecrets:           {Other: "mais segredos do que se pode substituir em uma consulta"},
	WhyBinaryText:        {Other: "mais texto em arquivos binários do que se examina em busca de segredos"},
	WhyMarked:            {Other: "gerado, segundo apenas esta alteração"},
	WhyMinifiedHere:      {Other: "minificado, segundo apenas esta alteração"},
	WhyUnproven:          {Other: "com nome de código gerado, o que nada nele confirma"},
	WhyVendoredHere:      {Other: "código de terceiros, segundo apenas esta alteração"},
	WhyVendoredEdit:      {Other: "código de terceiros, alterado sem a sua lista de pacotes"},
	WhyByMark:            {Other: "gerado, segundo a sua própria marca"},
	WhyLFS:               {Other: "o seu conteúdo está no Git LFS e não foi lido"},
	WhyLongData:          {Other: "só o início das linhas longas de dados foi mostrado"},
	WhyOutputs:           {Other: "saídas de um notebook não mostradas"},
	WhyDeleted:           {Other: "excluído"},
	WhyNoLine:            {Other: "nenhuma linha alterada"},
	WhyWasText:           {Other: "era texto e não pode mais ser lido como tal"},
	WhyNoText:            {Other: "não pode ser lido como texto, embora um programa possa executá-lo"},
	WhyOmittedLarge:      {Other: "alteração maior que o permitido"},
	WhyOmittedByHost:     {Other: "alteração não mostrada pelo servidor"},
	WhyOmittedUnreadable: {Other: "alteração ilegível na forma dada pelo servidor"},
	WhyOmittedPath:       {Other: "caminho que nenhuma cópia de trabalho pode ter"},
	WhyDocs:              {Other: "documentação"},
	WhyGenerated:         {Other: "gerado"},
	WhyVendored:          {Other: "código de terceiros"},
	WhyLock:              {Other: "arquivo de travamento de versões"},
	WhyMinified:          {Other: "minificado"},
	WhyBinary:            {Other: "binário"},
	WhyData:              {Other: "dados"},
	WhySubmodule:         {Other: "submódulo"},
	WhySymlink:           {Other: "link simbólico"},

	NoticeChecksCut:    {Other: "As verificações encontraram {0} apontamentos além dos {1} que uma revisão lista."},
	NoticeAnalysersCut: {Other: "Os analisadores encontraram {0} apontamentos além dos {1} que uma revisão lista."},
	NoticeAnalysersFailed: {Other: "Estes analisadores informam que não terminaram: {0}. Os resultados deles " +
		"podem estar incompletos."},
	NoticeAnalysersLeft: {One: "{0} resultado de analisadores ({1}) não está nesta revisão. A página da execução informa o motivo.",
		Other: "{0} resultados de analisadores ({1}) não estão nesta revisão. A página da execução informa os motivos."},
	NoticeUnexplainedModel: {Other: "Nenhum modelo explica os resultados dos analisadores nesta revisão, porque nenhum participou " +
		"ou a revisão é reduzida."},
	NoticeUnexplainedBudget: {Other: "Nenhum modelo explica os resultados dos analisadores nesta revisão, porque um orçamento ou um " +
		"limite está esgotado."},
	NoticeUnexplainedAnswer: {Other: "Nenhum modelo explica os resultados dos analisadores nesta revisão, porque a resposta faltou " +
		"ou não pôde ser usada."},
	NoticeUnexplainedSome: {One: "{0} resultado dos analisadores não tem explicação: o modelo não deu nenhuma que possa ser mostrada.",
		Other: "{0} resultados dos analisadores não têm explicação: o modelo não deu nenhuma que possa ser " +
			"mostrada, ou eram demasiados para uma chamada."},
	NoticeAnalysersOff: {Other: "Os resultados de analisadores não foram usados, porque a configuração " +
		"`deterministic.staticAnalysis` está desligada."},
	NoticeHidden: {Other: "O título ou a descrição contém caracteres que não se veem; os modelos não os receberam."},
	NoticeSecretPrints: {One: "{0} segredo volta a ser mostrado: a supressão dele é de uma versão que não comparava " +
		"os valores de segredos. Suprima-o de novo para omiti-lo.",
		Other: "{0} segredos voltam a ser mostrados: as supressões deles são de uma versão que não " +
			"comparava os valores de segredos. Suprima-os de novo para omiti-los."},
	NoticeUnchecked: {One: "{0} arquivo não pôde ser verificado dentro dos limites de memória e tempo; nenhum modelo o viu.",
		Other: "{0} arquivos não puderam ser verificados dentro dos limites de memória e tempo; nenhum modelo os viu."},
	NoticeInstructions: {Other: "A alteração edita o que instrui revisores automáticos ou assistentes; vale a versão da branch " +
		"base, e uma pessoa deve ler a nova: {0}."},
	NoticeRules: {Other: "Mais regras dizem respeito a esta alteração do que cabem em uma consulta ({0}, ou {1} tokens); " +
		"nem todas foram verificadas em toda parte: {2}."},
	NoticeRuleTime: {Other: "Estas regras não foram comparadas com toda a alteração, porque isso demorou demais: {0}."},
	NoticeRulePattern: {Other: "Estas regras não foram verificadas, porque seus padrões não podem ser lidos: " +
		"{0}. Elas são editadas na página de regras."},
	NoticeRuleProgram: {Other: "Estas regras não foram verificadas, porque o ast-grep não está configurado, não pode " +
		"ser executado aqui ou falhou: {0}. O operador pode executar assay doctor."},
	NoticeLooks: {One: "{0} passagem por uma parte da alteração foi omitida: uma revisão desta profundidade tem no " +
		"máximo {1} conversas com modelos.", Other: "{0} passagens por partes da alteração foram omitidas: uma revisão desta " +
		"profundidade tem no máximo {1} conversas com modelos."},
	NoticeLookup:      {Other: "O que outros arquivos têm a ver com esta alteração não pôde ser consultado por inteiro."},
	NoticeLongLines:   {Other: "Das linhas mais longas, o modelo viu apenas os primeiros {0} caracteres em: {1}."},
	NoticeOutputs:     {Other: "Mudaram saídas, anexos ou metadados de notebooks que nenhum modelo viu: {0}."},
	NoticeThroughHost: {Other: "O repositório ultrapassa os limites em que é lido aqui com git; a alteração foi lida pelo servidor."},
	NoticeHostLists:   {Other: "O servidor lista só os primeiros {0} arquivos desta alteração; os demais não foram lidos."},
	NoticeGuidelinesUnread: {Other: "Arquivos de diretrizes que não foram lidos (links, grandes demais, sem texto, não listados ou " +
		"com cabeçalho incompreensível): {0}."},
	NoticeGuidelinesCut: {Other: "Arquivos de diretrizes que não foram lidos por inteiro, porque uma revisão lê 8 KB de cada " +
		"um e 24 KB no total: {0}."},
	NoticeGuidelinesSilent: {Other: "Arquivos de diretrizes com os quais a alteração não foi comparada, porque nenhum modelo " +
		"respondeu ou o orçamento acabou: {0}."},
	NoticeGuidelinesBase: {Other: "Os arquivos de diretrizes da branch base não puderam ser lidos; a alteração não foi comparada com eles."},
	NoticeFileSettings:   {Other: "Após o merge, a nova versão de {0} altera: {1}."},
	NoticeFileSame:       {Other: "Após o merge, a nova versão de {0} não altera nenhuma configuração nem regra."},
	NoticeFileReviews: {One: "{0} das últimas {1} revisões teria mostrado seus achados de outra forma, segundo os achados armazenados.",
		Other: "{0} das últimas {1} revisões teriam mostrado seus achados de outra forma, segundo os achados armazenados."},
	NoticeFileRefused: {Other: "Entradas da nova versão que não teriam efeito: {0}"},
	NoticeTrackers: {One: "{0} rastreador de issues não respondeu; talvez faltem aqui issues às quais a alteração pertence.",
		Other: "{0} rastreadores de issues não responderam; talvez faltem aqui issues às quais a alteração pertence."},
	NoticePanelKeyGone: {Other: "O painel não analisou: a chave de modelo dele não existe mais ou não pode ser usada " +
		"({0} de {1} partes da alteração)."},
	NoticePanelKeyUnfit: {Other: "O painel não analisou: a política de modelos não permite a região da chave dele " +
		"({0} de {1} partes da alteração)."},
	NoticePanelSameVendor: {Other: "O painel não analisou: o modelo dele é do mesmo fornecedor que o de outro nível " +
		"({0} de {1} partes da alteração)."},
	NoticePanelReduced: {Other: "O painel não analisou: uma alteração externa recebe uma revisão reduzida " +
		"({0} de {1} partes da alteração)."},
	NoticePanelRefused: {Other: "O painel não analisou: o fornecedor dele recusou a chave de modelo " +
		"({0} de {1} partes da alteração)."},
	NoticePanelQuota: {Other: "O painel não analisou: a conta no fornecedor dele não tem mais crédito " +
		"({0} de {1} partes da alteração)."},
	NoticePanelRate: {Other: "O painel não analisou: o fornecedor dele limita a taxa de chamadas " +
		"({0} de {1} partes da alteração)."},
	NoticePanelDown: {Other: "O painel não analisou: o fornecedor dele não respondeu " +
		"({0} de {1} partes da alteração)."},
	NoticePanelRequest: {Other: "O painel não analisou: o fornecedor dele recusou a solicitação " +
		"({0} de {1} partes da alteração)."},
	NoticePanelBudget: {Other: "O painel não analisou: o orçamento ou um limite não deixa espaço para as chamadas dele " +
		"({0} de {1} partes da alteração)."},
	NoticePanelTooLong: {Other: "O painel não analisou: o texto é longo demais para o modelo dele " +
		"({0} de {1} partes da alteração)."},
	NoticePanelNoAnswer: {Other: "O painel não analisou: o modelo dele não deu uma resposta utilizável " +
		"({0} de {1} partes da alteração)."},
	NoticePanelRoom: {Other: "O painel não analisou: uma revisão desta profundidade não tem mais conversas para ele " +
		"({0} de {1} partes da alteração)."},
	NoticeFiles: {Other: "A alteração tem mais arquivos do que os {0} que são lidos; {1} ficaram de fora."},

	EndPublished:    {Other: "A revisão está publicada."},
	EndPolicy:       {Other: "A política deste repositório não pede uma revisão aqui."},
	EndSuperseded:   {Other: "Chegou um commit mais novo, que tem sua própria execução."},
	EndRetargeted:   {Other: "O branch de destino mudou, e a revisão em relação ao novo tem sua própria execução."},
	EndClosed:       {Other: "O pull request foi fechado ou virou rascunho."},
	EndGone:         {Other: "O servidor não mostra mais o pull request."},
	EndDisconnected: {Other: "O repositório não está mais conectado."},
	EndCrashed: {Other: "A revisão derrubou seus processos repetidas vezes, por isso este commit não é tentado de " +
		"novo automaticamente."},
	EndError:            {Other: "Não foi possível concluir a revisão."},
	EndModelUnavailable: {Other: "Nenhum modelo respondeu, e as verificações determinísticas não encontraram nada."},
	EndModelFruitless:   {Other: "Nenhuma resposta do modelo pôde ser aproveitada, e as verificações determinísticas não encontraram nada."},
	EndModelRejected:    {Other: "O provedor do modelo recusa o esforço de raciocínio configurado."},
	EndSlotBusy: {Other: "Há um rascunho de revisão que não é nosso aberto em nosso nome no pull request; o servidor só " +
		"aceita outro depois que esse for enviado ou excluído."},
	EndDeleted:  {Other: "Alguém excluiu o rascunho da revisão antes da publicação."},
	EndRefused:  {Other: "O servidor recusa o texto da revisão."},
	EndWithheld: {Other: "O que a revisão diz de um item já não deve ser conhecido aqui, e o servidor não permite alterar o seu rascunho."},
	EndRejected: {Other: "A revisão foi rejeitada antes da publicação."},
	EndExpired:  {Other: "Ninguém aprovou a revisão a tempo."},

	SkipOff:      {Other: "as revisões estão desativadas neste repositório"},
	SkipPaused:   {Other: "as revisões deste pull request estão em pausa"},
	SkipNotOpen:  {Other: "o pull request não está aberto"},
	SkipDraft:    {Other: "o pull request é um rascunho"},
	SkipOpening:  {Other: "abrir um pull request não inicia uma revisão aqui"},
	SkipPush:     {Other: "um push não inicia uma revisão aqui"},
	SkipReady:    {Other: "deixar de ser rascunho não inicia uma revisão aqui"},
	SkipRetarget: {Other: "outro branch de destino não inicia uma revisão aqui"},
	SkipBot:      {Other: "o autor é um bot"},
	SkipAuthor:   {Other: "o autor está excluído"},
	SkipLabels:   {Other: "nenhuma das etiquetas que pedem uma revisão está definida"},
	SkipBranch:   {Other: "a branch de destino não é uma das que são revisadas"},
	SkipOnRequest: {Other: "ele vem de fora, e esses pull requests são revisados aqui quando alguém que pode escrever no " +
		"repositório comenta `/assay review`"},
	NoAnswerWithin: {Other: "não respondeu em {0}; a última mensagem foi: {1}"},
	EffortRejected: {Other: "o provedor do modelo recusou o esforço de raciocínio: {0}"},

	CriterionNoModel:    {Other: "Nenhum modelo o examinou."},
	CriterionBudget:     {Other: "O orçamento para modelos está esgotado."},
	CriterionTooLong:    {Other: "É longo demais para o modelo."},
	CriterionNoAnswer:   {Other: "O modelo não deu nenhuma resposta utilizável."},
	CriterionMany:       {Other: "Uma revisão não julga mais critérios do que os que julgou antes deste."},
	CriterionNoReason:   {Other: "O modelo não deu nenhuma razão."},
	CriterionUnproven:   {Other: "Não foi citado nenhum código da nova versão que o faça."},
	CriterionUnsearched: {Other: "Foi dito que falta sem ter sido procurado."},
	CriterionWithheld:   {Other: "A razão repete o ticket, por isso não é mostrada."},

	AsideSize: {One: "além do comentário que uma alteração deste tamanho recebe ({0})",
		Other: "além dos {0} comentários que uma alteração deste tamanho recebe"},
	AsideFile:       {One: "além do comentário que um arquivo recebe ({0})", Other: "além dos {0} comentários que um arquivo recebe"},
	AsideReview:     {One: "além do comentário que uma revisão pode ter ({0})", Other: "além dos {0} comentários que uma revisão pode ter"},
	AsideNoLine:     {Other: "não trata de uma linha específica"},
	AsideOutside:    {Other: "o diff não mostra essas linhas"},
	AsideBinary:     {Other: "um arquivo binário não tem linhas"},
	AsideLarge:      {Other: "o diff do arquivo é grande demais"},
	AsideReviewed:   {Other: "em linhas que uma revisão anterior já leu"},
	AsideUnheard:    {Other: "o modelo não deu nenhuma resposta que o verifique"},
	AsideSecond:     {Other: "confirmado apenas por uma segunda opinião"},
	AsideMinor:      {Other: "manutenibilidade e documentação não recebem comentários nas linhas"},
	AsideLaterRound: {Other: "de uma rodada posterior"},
	AsideDoubtful:   {Other: "talvez não seja um segredo"},
	AsideIntended:   {Other: "é o que a alteração quer, segundo as suas palavras"},

	TitleSecret:       {Other: "Remover o segredo do repositório: {0}"},
	TitleMaybeSecret:  {Other: "Verificar um valor que pode ser um segredo: {0}"},
	TitleBidi:         {Other: "Remover os caracteres de controle bidirecionais"},
	TitleTag:          {Other: "Remover os caracteres de etiqueta invisíveis"},
	TitleZeroWidth:    {Other: "Remover os caracteres invisíveis"},
	TitlePermissions:  {Other: "O token do fluxo de trabalho recebe permissões mais amplas"},
	TitleCheckout:     {Other: "Um fluxo de trabalho privilegiado obtém o código do pull request"},
	TitleGo:           {Other: "O arquivo Go não pode ser analisado"},
	TitleLockHost:     {Other: "Verificar a nova origem de pacotes fixados: {0}"},
	TitleLockPlain:    {Other: "Obter os pacotes fixados por HTTPS"},
	TitleLockGit:      {Other: "Verificar o pacote fixado que vem de um repositório Git"},
	TitleLockDigest:   {Other: "Restaurar o resumo criptográfico do pacote fixado"},
	TitleLockOther:    {Other: "Verificar o pacote fixado que é obtido como outro"},
	TitleLockChanged:  {Other: "Verificar por que mudou o resumo de uma versão fixada"},
	TitleDockerAdd:    {Other: "Dar uma soma de verificação ao arquivo remoto do `ADD`"},
	TitleDockerPipe:   {Other: "Verificar um download antes de executá-lo"},
	TitleDockerArg:    {Other: "Passar o segredo {0} por uma montagem de segredo"},
	TitleDockerEnv:    {Other: "Manter o segredo {0} fora da imagem"},
	TitleDockerTag:    {Other: "Indicar uma versão da imagem {0}"},
	TitleDockerRoot:   {Other: "Não executar o contêiner como root"},
	TitleInjection:    {Other: "Um texto de fora passa a fazer parte de um script"},
	TitleMovingAction: {Other: "Fixar a action {0} em um commit"},
	TitleLint:         {Other: "Corrigir a falha no fluxo de trabalho ({0})"},
	TitleConflict:     {Other: "Resolver os marcadores de conflito de merge"},
	SayMaybeSecret: {Other: "Este valor parece um segredo ({0}) apenas pelo nome ao lado, e está onde exemplos são comuns ou varia pouco. " +
		"Ele não faz a verificação falhar. Se ele abre algo, é preciso revogá-lo e ler um novo do ambiente ou de um cofre de segredos."},
	SayUnrestricted: {Other: "Esta alteração remove o bloco `permissions` que limitava o token dos jobs. " +
		"Ele passa a receber o padrão do repositório, que pode ser acesso de escrita a tudo. " +
		"É preciso repor o bloco, com o que os jobs precisam."},
	SaySecret: {Other: "Esta alteração adiciona o que parece ser um segredo ({0}). " +
		"Quem pode ler o repositório, seus forks ou seu histórico pode usá-lo. " +
		"É preciso revogá-lo e criar outro: remover a linha não o tira do histórico. Depois, lê-lo do ambiente ou de um cofre de segredos."},
	SayBidi: {Other: "Esta alteração adiciona caracteres que mudam a ordem em que o texto é mostrado, de modo que o código se lê de " +
		"forma diferente de como é executado ({0}). " +
		"Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayBidiMore: {Other: "Esta alteração adiciona caracteres que mudam a ordem em que o texto é mostrado, de modo que o código se " +
		"lê de forma diferente de como é executado ({0}). " +
		"Outras linhas: {1}. Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayTag: {Other: "Esta alteração adiciona caracteres de etiqueta ou seletores de variação que podem levar um texto oculto, por " +
		"exemplo instruções para um modelo de linguagem ({0}). " +
		"Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayTagMore: {Other: "Esta alteração adiciona caracteres de etiqueta ou seletores de variação que podem levar um texto oculto, " +
		"por exemplo instruções para um modelo de linguagem ({0}). " +
		"Outras linhas: {1}. Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayZeroWidth: {Other: "Esta alteração adiciona caracteres sem largura, de modo que dois nomes que parecem iguais podem ser " +
		"diferentes ({0}). " +
		"Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayZeroWidthMore: {Other: "Esta alteração adiciona caracteres sem largura, de modo que dois nomes que parecem iguais podem " +
		"ser diferentes ({0}). " +
		"Outras linhas: {1}. Convém removê-los ou, onde um programa precisar deles, escrevê-los como sequências de escape."},
	SayPermission: {Other: "Esta alteração dá ao token do job {0}, que ele não tinha antes. Cada passo e cada ação do job pode usá-lo. " +
		"Convém concedê-lo só ao job que precisa dele."},
	SayPermissions: {Other: "Esta alteração dá ao token do job permissão de escrita em tudo (`write-all`), que ele não tinha antes. " +
		"Cada passo e cada ação do job pode usá-lo. " +
		"Convém concedê-lo só ao job que precisa dele."},
	SayCheckout: {Other: "Um fluxo de trabalho iniciado por `pull_request_target` ou `workflow_run` tem os segredos do repositório " +
		"e um token com escrita, e aqui obtém o " +
		"código do pull request. Quem pode abrir um pull request pode então executar código com eles. Convém usar o evento " +
		"`pull_request` ou não obter esse código."},
	SayGo: {Other: "O analisador de Go para na linha {0}: {1}. O pacote não compila."},
	SayLockHost: {Other: "Com esta alteração, o arquivo de lock obtém pacotes de {0}. Na branch base ele não cita essa origem, " +
		"que não é nenhum dos registros públicos. Os pacotes são instalados de onde o arquivo indica, seja o que for que o manifesto " +
		"diga. Gere o arquivo de novo com o gerenciador de pacotes ou confirme que o servidor é seu."},
	SayLockPlain: {Other: "Com esta alteração, o arquivo de lock baixa de {0} sem criptografia, de modo que qualquer um no " +
		"caminho pode trocar o pacote. Informe o endereço com https."},
	SayLockGit: {Other: "Com esta alteração, o arquivo de lock obtém um pacote do repositório Git {0}, que ele não cita na " +
		"branch base. Nenhum registro verifica o que há lá. Use uma versão publicada ou confirme que é o repositório certo."},
	SayLockDigest: {Other: "Esta alteração adiciona ou move no arquivo de lock um pacote sem resumo criptográfico, enquanto outros " +
		"têm um. Sem ele, o gerenciador instala o que o servidor enviar. Gere o arquivo de novo com o gerenciador de pacotes."},
	SayLockOther: {Other: "Com esta alteração, o arquivo de lock obtém {1} para o pacote {0}. O gerenciador instala o arquivo que " +
		"o endereço nomeia, diga o manifesto o que disser. Gere o arquivo de novo com o gerenciador ou confirme que se trata de um alias."},
	SayLockChanged: {Other: "Esta alteração dá a {0} outro resumo sem outra versão nem endereço. Uma versão publicada não muda de " +
		"conteúdo: o pacote foi trocado ou o resumo foi editado. Gere o arquivo de novo com o gerenciador e compare o resumo com o do registro."},
	SayDockerAdd: {Other: "Este `ADD` baixa de um endereço sem soma de verificação, de modo que a imagem recebe o que o servidor enviar " +
		"durante a construção. Adicione `--checksum=sha256:…`, ou o commit completo de um repositório Git."},
	SayDockerPipe: {Other: "Este comando entrega um download diretamente a um interpretador. O servidor decide o que é executado na " +
		"construção, e um download interrompido é executado em parte. Salve o arquivo, compare sua soma de verificação " +
		"e só então o execute, ou instale um pacote de versão fixa."},
	SayDockerArg: {Other: "O argumento de construção {0} tem o nome de um segredo. O histórico de uma imagem e o registro de sua " +
		"construção podem mostrar os valores desses argumentos. Use `RUN --mount=type=secret` no lugar dele."},
	SayDockerEnv: {Other: "Esta alteração põe um valor para {0} no ambiente da imagem. Quem puder obter a imagem pode lê-lo, mesmo que " +
		"uma instrução posterior o mude. Passe-o ao iniciar o contêiner, ou use `RUN --mount=type=secret` na " +
		"construção. Se o valor abre algo, troque-o."},
	SayDockerTag: {Other: "A imagem {0} é citada sem versão, de modo que cada construção pode obter outra e nenhuma pode ser repetida. " +
		"Indique uma tag com versão ou, melhor, um resumo criptográfico."},
	SayDockerRoot: {Other: "A última etapa deste Dockerfile inicia seu programa como root, de modo que uma falha no programa dá todos os " +
		"direitos no contêiner. Crie um usuário e indique-o com `USER`."},
	SayInjection: {Other: "A expressão {0} põe em um script um texto que uma pessoa de fora pode escolher, por exemplo um título ou o " +
		"nome de uma branch. O GitHub insere o texto antes de o script ser lido, de modo que ele pode executar comandos " +
		"com o token e os segredos do job. Ponha-o em uma variável em `env` e use a variável entre aspas."},
	SayMovingAction: {Other: "A action {0} é citada por {1}, que seu dono, ou um invasor com a conta dele, pode mover para outro código. " +
		"Esse código é executado com o token e os segredos do job. Indique o commit completo, com a versão em um " +
		"comentário."},
	SayLint: {Other: "O analisador actionlint aponta neste fluxo de trabalho: {0}. O fluxo pode falhar ou fazer algo diferente " +
		"do que seu texto sugere. Corrija a linha."},
	SayAnalyser: {Other: "O analisador {0} aponta pela sua regra {1}: {2}."},
	SayRulePlaces: {One: "Mais {0} lugar desta alteração corresponde a esta regra. {1}",
		Other: "Mais {0} lugares desta alteração correspondem a esta regra. {1}"},
	SayConflict: {Other: "Esta alteração adiciona os marcadores de um merge inacabado (`<<<<<<<` e `>>>>>>>`). É preciso escolher " +
		"um lado e apagar os marcadores."},
	TitleGoPattern: {Other: "Este código Go está errado para qualquer entrada: {0}"},
	SayGoFormat: {Other: "A chamada de {0} dá {1} argumentos a um formato que recebe {2}. A saída contém então `%!` e " +
		"uma nota em vez dos valores. Faça o formato e os argumentos coincidirem."},
	SayGoUnused: {Other: "{0} só devolve um valor, e esta instrução o descarta, de modo que não faz nada. Use o valor ou " +
		"apague a instrução."},
	SayGoSame: {Other: "{0} está nos dois lados, de modo que a operação não tem efeito ou dá um resultado fixo. Um lado " +
		"provavelmente cita a variável errada."},
	SayGoConstant: {Other: "A condição {0} dá o mesmo resultado para qualquer valor, de modo que um ramo nunca roda. " +
		"Confira os operadores e as constantes."},
	SayGoRepeated: {Other: "Um ramo anterior tem a mesma condição {0}, de modo que este nunca roda. Corrija um dos dois " +
		"ou apague este ramo."},
	SayGoLock: {Other: "Esta linha adia {0} uma segunda vez em vez da liberação. O bloqueio não é solto, e um mutex para " +
		"aqui para sempre. Adie a liberação."},
	SayGoRecover: {Other: "`recover` só detém um `panic` se uma função adiada o chama. Adiado ele próprio, não tem " +
		"efeito. Chame-o dentro de `defer func() { … }()`."},
	SayGoLateAdd: {Other: "Esta goroutine se soma a {0} depois de iniciar. `Wait` pode voltar antes e não a espera. " +
		"Chame `Add` antes da instrução `go`."},
	SayGoTag: {Other: "A tag deste campo não tem para {0} a forma que o pacote `reflect` lê, ou repete a chave. O " +
		"programa ignora essa parte. Escreva pares `key:\"value\"` separados por um espaço."},
	SayGoName: {Other: "Dois campos desta estrutura têm o nome JSON {0}. O pacote `encoding/json` omite ambos sem erro. " +
		"Dê a cada campo um nome próprio."},
	SayGoBody: {Other: "Se a chamada falhar, {0} é `nil`, e esta linha causa um `panic` antes de verificar o erro. " +
		"Verifique primeiro o erro."},
	TitleMigrationDrop:  {Other: "A migração apaga {0} com os dados"},
	TitleMigrationNull:  {Other: "A nova coluna {0} não tem valor para as linhas existentes"},
	TitleMigrationIndex: {Other: "Construir o índice de {0} sem bloquear gravações"},
	SayMigrationDrop: {Other: "Esta migração remove {0}, e desfazer a versão não traz os dados de volta. Programas da " +
		"versão anterior ainda em execução falham se o usam. Remova-o numa versão posterior ao último código que o usa, e " +
		"guarde uma cópia."},
	SayMigrationNull: {Other: "A coluna {0} é `NOT NULL` sem valor padrão, de modo que esta instrução falha assim que " +
		"{1} tem uma linha. Dê um valor padrão, ou acrescente-a sem `NOT NULL`, preencha-a e depois defina `NOT NULL`."},
	SayMigrationIndex: {Other: "O PostgreSQL bloqueia toda gravação em {0} enquanto constrói este índice. Use `CREATE " +
		"INDEX CONCURRENTLY` numa migração fora de uma transação."},
	TitleManifestLock:     {Other: "O arquivo de lock não coincide com o manifesto: {0}"},
	TitleInstallScript:    {Other: "Verificar o novo script de instalação: {0}"},
	TitleManifestSource:   {Other: "Verificar a dependência de fora de um registro: {0}"},
	TitleManifestRegistry: {Other: "Verificar o novo registro de pacotes: {0}"},
	SayManifestMissing: {Other: "O manifesto cita {0}, e {1} não o tem. Uma instalação pelo arquivo de lock falha ou " +
		"pega uma versão não revisada. Rode o gerenciador de pacotes e faça commit dos dois arquivos."},
	SayManifestVersion: {Other: "O manifesto pede {0} {1}, e o arquivo de lock foi feito para {2}. Uma instalação por " +
		"esse arquivo falha ou pega outra versão que a do manifesto. Rode o gerenciador de pacotes e faça commit dos dois " +
		"arquivos."},
	SayInstallScript: {Other: "Com esta alteração, {0} roda um script durante a instalação, com os direitos e segredos " +
		"de cada máquina que o instala. A base não o roda. Leia o script antes do merge."},
	SayManifestSource: {Other: "Esta alteração pega {0} de {1} e não de um registro, onde uma versão publicada não pode " +
		"mudar. Use uma versão publicada, ou confirme o endereço e cite um commit completo ou um digest."},
	SayManifestRegistry: {Other: "Esta alteração cita o registro {0}, que o arquivo não cita na base e que não é " +
		"público. Um pacote de mesmo nome ali pode substituir o desejado. Confirme que o registro é seu."},
	NoticeSwitches: {Other: "Comentários novos desativam achados de analisadores: {0}."},
	SaySecretOld: {Other: "Esta alteração acrescenta o que parece um segredo ({0}), e a base já tem o mesmo valor. Quem " +
		"lê o repositório pode usá-lo. Revogue-o e crie outro, depois remova-o de todos os lugares e leia-o do ambiente ou de " +
		"um cofre de segredos."},
	SayMaybeSecretOld: {Other: "Este valor parece um segredo ({0}) apenas pelo nome ao lado, e a base já tem o mesmo valor. " +
		"Ele não faz a verificação falhar. Se ele abre algo, é preciso revogá-lo e removê-lo de todos os lugares."},
}
