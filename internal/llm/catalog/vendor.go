package catalog

import (
	"strings"

	"github.com/assay-dev/assay/internal/regexp"
)

// vendors are the companies that make models, by words of the models' names. A name counts for the first vendor with a word
// in it, so that a distilled model counts for its maker.
var vendors = []struct {
	name  string
	words *regexp.Regexp
}{
	{"DeepSeek", regexp.MustCompile(`\bdeepseek`)},
	{"NVIDIA", regexp.MustCompile(`\bnemotron`)},
	{"Anthropic", regexp.MustCompile(`\b(anthropic|claude)`)},
	{"OpenAI", regexp.MustCompile(`\b(openai|codex)\b|\b(chat)?gpt(-?\d|\b)|(^|/)o[1-9]\b`)},
	{"Mistral", regexp.MustCompile(`\b(mistral|mixtral|codestral|devstral|magistral|ministral|pixtral)`)},
	{"Google", regexp.MustCompile(`\b(google|gemini|gemma|codegemma)`)},
	{"Alibaba", regexp.MustCompile(`\b(qwen|qwq|alibaba)`)},
	{"Meta", regexp.MustCompile(`\b(meta\b|llama|codellama)`)},
	{"Amazon", regexp.MustCompile(`\b(amazon|nova|titan)\b`)},
	{"xAI", regexp.MustCompile(`\b(x-ai|xai|grok)\b`)},
	{"Z.ai", regexp.MustCompile(`\b(glm|z-ai|zai|chatglm)`)},
	{"Moonshot", regexp.MustCompile(`\b(moonshot|kimi)`)},
	{"Cohere", regexp.MustCompile(`\b(cohere|command-r|command-a)`)},
	{"Microsoft", regexp.MustCompile(`\bmicrosoft\b|\bphi(-?\d|\b)`)},
	{"IBM", regexp.MustCompile(`\b(ibm|granite)`)},
	{"MiniMax", regexp.MustCompile(`\bminimax`)},
}

// Vendor returns the name of the company that makes a model of the key. It returns "" if neither the key nor the model's name
// tells it, such as for a model of a self-hosted service under a name of its own.
func (k Key) Vendor(model string) string {
	switch k.Kind {
	case OpenAI, Azure: // the models of a deployment are OpenAI's
		return "OpenAI"
	case Anthropic:
		return "Anthropic"
	case Mistral:
		return "Mistral"
	}
	name := strings.ReplaceAll(strings.ToLower(model), "_", "-")
	for _, v := range vendors {
		if v.words.MatchString(name) {
			return v.name
		}
	}
	if k.Preset == "gemini" {
		return "Google"
	}
	return ""
}

// SameVendor reports whether two models are of one vendor. If the vendor of one is unknown, it reports whether both are the
// same model at the same address.
func SameVendor(a Key, modelA string, b Key, modelB string) bool {
	x, y := a.Vendor(modelA), b.Vendor(modelB)
	if x == "" || y == "" {
		return a.Kind == b.Kind && strings.EqualFold(a.BaseURL, b.BaseURL) && modelA == modelB
	}
	return x == y
}
