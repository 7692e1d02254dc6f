package secret

import (
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// ours is the beginning of all our tokens; the kind and an underscore follow.
const ours = "assay_"

// kinds are all kinds of tokens from [NewToken].
var kinds = []Kind{Session, Setup, SetupCookie, Link, MCP, Invitation, Webhook, State, Binding, InstanceKey}

// SigningPrefix begins secrets that sign webhooks after the Standard Webhooks specification: ours, and
// those of hosts.
const SigningPrefix = "whsec_"

// foreign are the prefixes by which [Scrub] recognises foreign tokens, by issuer. Tokens without a prefix
// (access tokens of Gitea and Forgejo, which look like a commit, and keys of Mistral) are recognised only
// in authorization values.
var foreign = map[string][]string{
	"webhooks":          {SigningPrefix},
	"GitHub":            {"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"},
	"Gitea and Forgejo": {"gto_", "gta_"}, // of OAuth applications
	// docs.gitlab.com/security/tokens, "Token prefixes"
	"GitLab": {"glpat-", "gloas-", "gldt-", "glrt-", "glrtr-", "glptt-", "glcbt-", "glft-",
		"glimt-", "glagent-", "glsoat-", "glffct-", "glwt-", "glit-", "GR1348941", "_gitlab_session="},
	"Atlassian": {"ATATT", "ATCTT", "ATBB", "ATOA", "ATSTT", "BBDC-"},
	"Linear":    {"lin_api_", "lin_oauth_", "lin_wh_"},
	"Slack": {"xoxa-", "xoxb-", "xoxc-", "xoxd-", "xoxe-",
		"xoxe.", "xoxo-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "xwfp-"},
	"OpenAI, Anthropic, OpenRouter, DeepSeek": {"sk-"},
	"Groq, Cerebras": {"gsk_", "csk-"}, "xAI": {"xai-"}, "Perplexity": {"pplx-"}, "NVIDIA": {"nvapi-"},
	"Together": {"tgp_v1_"}, "Amazon Bedrock": {"ABSK", "bedrock-api-key-"}, "Google": {"AIza", "ya29.", "GOCSPX-"},
}

// short are prefixes that names can have too, so [Scrub] requires a long rest.
var short = []string{"hf_", "r8_", "fw_", "AKIA", "ASIA"}

// forms are tokens that are recognised by their whole form: personal access tokens of Azure DevOps (AZDO
// before the last four characters), keys of Azure with Microsoft's mark, and addresses that are secrets:
// incoming webhooks of Slack and Discord.
const forms = `[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b|[A-Za-z0-9]{52}JQQJ9[A-Za-z0-9]{20,40}\b` +
	`|hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[A-Za-z0-9_+/-]{8,}|` +
	`discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{8,}`

// tokenPattern finds tokens by their beginning. It assumes no length, because GitHub is extending its
// installation tokens. A token may follow an escaped character of JSON or of an address.
var tokenPattern = regexp.MustCompile(`(?:\b|\\[nrt]|\\u00[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2})(?:` + begins() + `|` + forms + `)` +
	`|\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*` +
	`|(?i:\b(?:bearer|basic|token)\s+)[A-Za-z0-9._~+/=-]{12,}`)

// openPattern finds the beginning of a token at the end of a text.
var openPattern = regexp.MustCompile(`(?:\b|\\[nrt]|\\u00[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2})(?:` + anyOf(prefixes()) + `[A-Za-z0-9_.~+/=-]*|` +
	anyOf(short) + `[A-Za-z0-9_-]{4,}|eyJ[A-Za-z0-9_-]{8,}[A-Za-z0-9_.-]*)$`)

// EndsInToken reports whether the last word of a text may be the beginning of a token, which another text continues.
func EndsInToken(text string) bool {
	word := text[strings.LastIndexAny(text, " \t")+1:]
	return len(word) >= minOpen && openPattern.MatchString(word)
}

// minOpen is the least length of a word that [EndsInToken] looks at, in bytes.
const minOpen = 8

// begins returns the expression for tokens that are recognised by their beginning.
func begins() string {
	return anyOf(prefixes()) + `[A-Za-z0-9_.~+/=-]{6,}|` + anyOf(short) + `[A-Za-z0-9_-]{16,}`
}

// prefixes returns the beginnings of our tokens and of foreign ones.
func prefixes() []string {
	var all []string
	for _, k := range kinds {
		all = append(all, ours+string(k)+"_")
	}
	for _, list := range foreign {
		all = append(all, list...)
	}
	slices.Sort(all)
	return all
}

func anyOf(texts []string) string {
	quoted := make([]string, len(texts))
	for i, t := range texts {
		quoted[i] = regexp.QuoteMeta(t)
	}
	return `(?:` + strings.Join(quoted, `|`) + `)`
}
