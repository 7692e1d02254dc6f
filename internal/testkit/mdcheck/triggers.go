package mdcheck

import "regexp"

// Trigger is a form of text that a host acts on.
type Trigger struct {
	Host, What string
	Form       *regexp.Regexp // at least as wide as the host's own form
	Needs      string         // every match has one of these characters; "" if that is not so
	Examples   []string
	Source     string // where the form is documented
	Raw        bool   // search the lines of the unparsed text, also in code
}

const (
	githubRefs    = "https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/autolinked-references-and-urls"
	githubBasics  = "https://docs.github.com/en/get-started/writing-on-github/getting-started-with-writing-and-formatting-on-github/basic-writing-and-formatting-syntax"
	githubMention = "https://github.com/gjtorikian/html-pipeline/blob/main/lib/html_pipeline/node_filter/mention_filter.rb"
	gitlabRefs    = "https://docs.gitlab.com/user/markdown/#gitlab-specific-references"
	gitlabLinks   = "https://docs.gitlab.com/user/markdown/#url-auto-linking"
	gitlabActions = "https://github.com/gitlabhq/gitlabhq/blob/master/lib/gitlab/quick_actions/extractor.rb"
	giteaRefs     = "https://github.com/go-gitea/gitea/blob/main/modules/references/references.go"
	giteaHTML     = "https://github.com/go-gitea/gitea/blob/main/modules/markup/html.go"
	giteaLinkify  = "https://github.com/go-gitea/gitea/blob/main/modules/markup/common/linkify.go"
	bitbucketMD   = "https://confluence.atlassian.com/bitbucketserver/markdown-syntax-guide-776639995.html"
	bitbucketRefs = "https://support.atlassian.com/bitbucket-cloud/docs/use-pull-requests-for-code-review/"
	azureMD       = "https://learn.microsoft.com/en-us/azure/devops/project/wiki/markdown-guidance"
	gfm           = "https://github.github.com/gfm/#autolinks-extension-"
	prow          = "https://github.com/kubernetes-sigs/prow/blob/main/pkg/plugins/approve/approve.go"
)

func form(s string) *regexp.Regexp { return regexp.MustCompile(s) }

// Triggers are the known triggers of the hosts. Each is wider than the host's own form, because it does not
// check whether a name or a number exists.
var Triggers = []Trigger{
	{Host: "GitHub", What: "mention of a person or team", Needs: "@", Form: form(`@[A-Za-z0-9]`),
		Examples: []string{"@octocat", "@org/team", "(@octocat)", "x@octocat"}, Source: githubMention},
	{Host: "GitHub", What: "issue or pull request", Needs: "#", Form: form(`#\d`),
		Examples: []string{"#26", "jlord/sheetsee.js#26", "jlord#26", "fixes #26"}, Source: githubRefs},
	{Host: "GitHub", What: "GH- reference", Needs: "-", Form: form(`(?i)\bgh-\d`), Examples: []string{"GH-26", "closes gh-26"},
		Source: githubRefs},
	{Host: "GitHub", What: "commit", Form: form(`(?i)(?:^|[^0-9a-z])[0-9a-f]{7,64}(?:$|[^0-9a-z])`),
		Examples: []string{"a5c3785ed8d6a35868bc169f07e40e889087fd2e", "a5c3785", "jlord@a5c3785ed8d6a35868bc169f07e40e889087fd2e"},
		Source:   githubRefs},
	{Host: "GitHub", What: "emoji, some of them pictures", Needs: ":", Form: form(`:[a-z0-9_+-]+:`),
		Examples: []string{":shipit:", "x:+1:y"}, Source: githubBasics},
	{Host: "GitHub", What: "reference in a custom form", Needs: "-", Form: form(`(?:^|[^A-Za-z0-9])[A-Z][A-Z0-9]*-\d`),
		Examples: []string{"TICKET-12", "(ABC-1)"}, Source: githubRefs},
	{Host: "GitHub", What: "mathematics", Needs: "$", Form: form(`\$`), Examples: []string{"$x$", "$$x$$"},
		Source: "https://docs.github.com/en/get-started/writing-on-github/working-with-advanced-formatting/writing-mathematical-expressions"},
	{Host: "any", What: "address", Needs: ".:", Form: form(`(?i)[a-z][a-z0-9+.-]*://|www\.|mailto:\S|xmpp:\S`),
		Examples: []string{"https://evil.example", "_https://evil.example", "9https://evil.example", "_www.evil.example",
			"ftp://evil.example", "mailto:me@evil.example"}, Source: gfm},
	{Host: "any", What: "address of mail", Needs: "@", Form: form(`[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]@[A-Za-z0-9]`),
		Examples: []string{"me@evil.example"}, Source: gfm},
	{Host: "any", What: "name of a host without a scheme", Needs: ".", Form: form(`[\pL\pN]\.\pL{2}`),
		Examples: []string{"evil.com", "evil.рф", "see evil.dev/x"}, Source: "https://github.com/markdown-it/linkify-it"},
	{Host: "GitLab", What: "issue, merge request, snippet, epic, milestone, label, alert", Needs: "#!$&%~^*[{",
		Form: form(`[#!$&%~][\pL\pN]|[%~]"|\^alert|\*iteration|[\[{][a-z_+-]`),
		Examples: []string{"#123", "!123", "$123", "&123", "%123", `%"release candidate"`, "~bug", `~"feature request"`, "^alert#123",
			"*iteration:123", "[issue:123]", "[vulnerability:123]", "[feature_flag:123]", "{+ added +}", "{- gone -}"}, Source: gitlabRefs},
	{Host: "GitLab", What: "group or project", Needs: ">", Form: form(`>`), Examples: []string{"namespace/project>"}, Source: gitlabRefs},
	{Host: "GitLab", What: "GL- reference", Needs: "-", Form: form(`(?i)\bgl-\d`), Examples: []string{"GL-123"}, Source: gitlabRefs},
	{Host: "GitLab", What: "table of contents or page of the wiki", Needs: "[", Form: form(`\[`),
		Examples: []string{"[[_TOC_]]", "[TOC]", "[[page]]"}, Source: gitlabRefs},
	{Host: "GitLab", What: "address", Needs: ":", Form: form(`(?i)(?:https?|ftp|irc|smb)://`),
		Examples: []string{"irc://irc.evil.example", "smb://evil.example"}, Source: gitlabLinks},
	{Host: "GitLab", What: "quick action", Form: form(`^/[A-Za-z]`), Examples: []string{"/approve", "/close", "/label ~bug", "/merge"},
		Source: gitlabActions, Raw: true},
	{Host: "Gitea, Forgejo", What: "mention", Needs: "@", Form: form(`@[-\w]`), Examples: []string{"@user", "@org/team", "@-x", "@_x"},
		Source: giteaRefs},
	{Host: "Gitea, Forgejo", What: "issue or pull request", Needs: "#!-", Form: form(`[#!]\d|[A-Z]{1,10}-[1-9]`),
		Examples: []string{"#1287", "!1287", "org/repo#12345", "org/repo!12345", "ABC-1234"}, Source: giteaRefs},
	{Host: "Gitea, Forgejo", What: "commit", Form: form(`(?:^|[^0-9A-Za-z])[0-9a-f]{7,64}(?:$|[^0-9A-Za-z])`),
		Examples: []string{"d8a994ef", "go-gitea/gitea@d8a994ef", "d8a994ef...0123abcd"}, Source: giteaRefs},
	{Host: "Gitea, Forgejo", What: "short link", Needs: "[", Form: form(`\[\[`), Examples: []string{"[[name|link]]", "[[x.png]]"},
		Source: giteaHTML},
	{Host: "Gitea, Forgejo", What: "address", Needs: ".:", Form: form(`(?i)https?:/|ftp:/|www\.`),
		Examples: []string{"(https://evil.example)", "~www.evil.example"}, Source: giteaLinkify},
	{Host: "Gitea, Forgejo", What: "emoji, some of them pictures", Needs: ":", Form: form(`:[-+\w]+:`), Examples: []string{":gitea:"},
		Source: giteaHTML},
	{Host: "Gitea, Forgejo", What: "mathematics", Needs: "$\\", Form: form(`\$|\\[(\[]`), Examples: []string{"$x$", `\(x\)`, `\[x\]`},
		Source: "https://docs.gitea.com/administration/config-cheat-sheet"},
	{Host: "Bitbucket Cloud", What: "mention", Needs: "@", Form: form(`@[A-Za-z0-9{]`), Examples: []string{"@{557058:abc}", "@name"},
		Source: bitbucketRefs},
	{Host: "Bitbucket Cloud", What: "issue, pull request or key of a tracker", Needs: "#-", Form: form(`#\d|[A-Z][A-Z0-9]+-\d`),
		Examples: []string{"#12", "pull request #12", "PROJ-1"}, Source: bitbucketRefs},
	{Host: "Bitbucket Data Center", What: "mention", Needs: "@", Form: form(`@["A-Za-z0-9]`),
		Examples: []string{"@admin", `@"a name"`}, Source: bitbucketMD},
	{Host: "Bitbucket Data Center", What: "pull request or key of a tracker", Needs: "#-", Form: form(`#\d|[A-Z][A-Z0-9]+-\d`),
		Examples: []string{"#1", "PROJ-1"}, Source: bitbucketMD},
	{Host: "Azure DevOps", What: "mention", Needs: "@", Form: form(`@[<A-Za-z0-9]`),
		Examples: []string{"@<6d2b3a9c-0000-4000-8000-000000000000>"}, Source: azureMD},
	{Host: "Azure DevOps", What: "work item or pull request", Needs: "#!", Form: form(`[#!]\d|AB#`),
		Examples: []string{"#4092", "AB#123", "!12"}, Source: azureMD},
	{Host: "Azure DevOps", What: "emoji", Needs: ":", Form: form(`:[a-z0-9_+-]+:`), Examples: []string{":smile:"}, Source: azureMD},
	{Host: "other bots", What: "command", Form: form(`^/[A-Za-z]`), Examples: []string{"/lgtm", "/assay review full", "/assay ignore"},
		Source: prow, Raw: true},
}
