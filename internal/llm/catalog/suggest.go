package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
	"github.com/assay-dev/assay/internal/regexp"
)

// ModelsDev returns the id that models.dev gives the provider behind a key; "" for self-hosted services and
// for addresses that are not a preset's.
func (k Key) ModelsDev() string {
	switch k.Kind {
	case OpenAI, Anthropic, Mistral, Azure:
		return k.Kind
	case Bedrock:
		return "amazon-bedrock"
	}
	preset, ok := PresetOf(k.Preset)
	if !ok || strings.TrimRight(k.BaseURL, "/") != preset.BaseURL {
		return "" // a changed address is another service
	}
	names := map[string]string{"scaleway": "scaleway", "ovhcloud": "ovhcloud", "stackit": "stackit", "openrouter": "openrouter",
		"groq": "groq", "together": "togetherai", "gemini": "google"}
	return names[preset.ID]
}

// unfit matches models that cannot review: models for pictures or sound, guard models, chat variants, and
// variants for one tool.
var unfit = regexp.MustCompile(`image|tts|whisper|voxtral|guard|audio|deep-research|vision|instruct-v0|:free|-chat\b|search|` +
	`lyria|customtools|-codex-`)

// embeds matches models that make vectors.
var embeds = regexp.MustCompile(`(?i)embed|bge-|/e5-`)

// makers matches the vendors whose models come first in a router's list.
var makers = regexp.MustCompile(`^(openai|anthropic|google|mistralai)/`)

const (
	suggestedEmbeddings = 3  // at most, in one list (design choice)
	currentMonths       = 15 // older ones are not suggested: providers retire them
)

// Suggest returns at most n ids of models that the key may reach, newest first, and then models for
// embeddings. It returns nil if the embedded data does not know the provider. Every suggested model has a
// price and can call tools or answer by a schema. Suggest leaves out dated names and previews of models that
// have a plain name, and models that were older than currentMonths at the date of the data.
func (k Key) Suggest(n int) ([]string, error) {
	data, err := modelsdev.Load()
	if err != nil {
		return nil, err
	}
	from := k.ModelsDev()
	if from == Azure {
		from = OpenAI // deployments run these models
	}
	models, since := data.Providers[from], data.Date.AddDate(0, -currentMonths, 0).Format(time.DateOnly)
	released := func(id string) string {
		if strings.HasSuffix(id, "-latest") {
			return data.Date.Format(time.DateOnly)
		}
		return data.Released(from, id)
	}
	var texts, vectors []string
	for id, m := range models {
		at := released(id)
		switch {
		case m.In == nil, unfit.MatchString(id), hasPlainerName(models, id), !k.reaches(models, id),
			from == "openrouter" && !makers.MatchString(id):
		case embeds.MatchString(id):
			vectors = append(vectors, id)
		case (m.Tools || m.Structured) && (at == "" || at >= since):
			texts = append(texts, id)
		}
	}
	if kind, _ := KindOf(k.Kind); !kind.Embeddings {
		vectors = nil
	}
	for _, v := range vectorModels() {
		if v.kind == from || v.kind == k.Kind && k.Kind == Bedrock {
			vectors = append(vectors, v.model)
		}
	}
	newest := func(a, b string) int { return cmp.Or(strings.Compare(released(b), released(a)), strings.Compare(a, b)) }
	slices.SortFunc(texts, newest)
	slices.SortFunc(vectors, newest)
	vectors = slices.Compact(vectors)
	vectors = vectors[:min(len(vectors), suggestedEmbeddings, n)]
	return append(texts[:min(len(texts), n-len(vectors))], vectors...), nil
}

// hasPlainerName reports whether the provider also lists the model under a plainer name.
func hasPlainerName(models map[string]modelsdev.Model, id string) bool {
	for _, plain := range []string{modelsdev.Undated(id), strings.TrimSuffix(id, "-preview"), strings.TrimSuffix(id, "-1:0")} {
		if _, ok := models[plain]; ok && plain != id {
			return true
		}
	}
	return false
}

// reaches reports whether the model can be called by this id from the key's region. On Bedrock that is the
// inference profile of the area if there is one, otherwise the global profile
// (https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html). A model that only
// has profiles for other areas cannot be called.
func (k Key) reaches(models map[string]modelsdev.Model, id string) bool {
	if k.Kind != Bedrock {
		return true
	}
	here := area(k.Region)
	if of := modelsdev.Area(id); of != "" {
		return of == here || here == "" && of == "global"
	}
	for other := range models {
		if modelsdev.Area(other) != "" && strings.HasSuffix(other, "."+id) {
			return false
		}
	}
	return true
}

// area returns the prefix of the inference profiles for a cloud region; "" if the embedded data has no such
// profiles.
func area(region string) string {
	switch region {
	case "ap-northeast-1", "ap-northeast-3":
		return "jp"
	case "ap-southeast-2":
		return "au"
	}
	switch first, _, _ := strings.Cut(region, "-"); first {
	case "eu", "us":
		return first
	}
	return ""
}
