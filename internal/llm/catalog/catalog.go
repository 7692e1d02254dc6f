// Package catalog lists facts about model providers that need no call: the kinds of keys, services with a
// compatible interface, regions, and the combinations that a provider is known to refuse. All of it is one
// table.
//
// Calls to a provider, prices and the choice of a model do not belong here.
package catalog

import (
	"slices"
	"strings"
)

// The kinds of model keys, as requests and rows spell them.
const (
	OpenAI     = "openai"
	Anthropic  = "anthropic"
	Mistral    = "mistral"
	Azure      = "azure"
	Bedrock    = "bedrock"
	Compatible = "compatible"
)

// Kind is a kind of model keys.
type Kind struct {
	ID          string   `json:"id" enum:"openai,anthropic,mistral,azure,bedrock,compatible"`
	Name        string   `json:"name"`
	Endpoint    string   `json:"endpoint,omitempty" doc:"Fixed endpoint; absent where the key names it"`
	Fields      []string `json:"fields" doc:"What a key of this kind takes besides name and apiKey"`
	KeyRequired bool     `json:"keyRequired" doc:"False: the service may run without a key"`
	Model       string   `json:"model" enum:"id,deployment" doc:"What the model of a tier is called: an id, or the name of a deployment"`
	ListsModels bool     `json:"listsModels" doc:"False: models can't be listed with a key; suggestions are given"`
	Embeddings  bool     `json:"embeddings" doc:"Whether there is an interface for embeddings"`
}

// Kinds lists the kinds in the order of the forms: three with a fixed endpoint, the cloud kinds, the
// compatible one.
func Kinds() []Kind {
	return []Kind{
		// OpenAI REST description, servers.
		{ID: OpenAI, Name: "OpenAI", Endpoint: "https://api.openai.com/v1", Fields: []string{"dataRegion", "maxConcurrency"},
			KeyRequired: true, Model: "id", ListsModels: true, Embeddings: true},
		// https://docs.claude.com/en/api/overview; there is no interface for embeddings.
		{ID: Anthropic, Name: "Anthropic", Endpoint: "https://api.anthropic.com", Fields: []string{"dataRegion", "maxConcurrency"},
			KeyRequired: true, Model: "id", ListsModels: true},
		// mistralai/platform-docs-public, openapi.yaml, servers.
		{ID: Mistral, Name: "Mistral", Endpoint: "https://api.mistral.ai/v1", Fields: []string{"dataRegion", "maxConcurrency"},
			KeyRequired: true, Model: "id", ListsModels: true, Embeddings: true},
		// https://learn.microsoft.com/rest/api/azureopenai/models/list: deployments are not listed with a resource's key.
		{ID: Azure, Name: "Azure OpenAI", Fields: []string{"resource", "baseUrl", "dataRegion", "maxConcurrency"}, KeyRequired: true,
			Model: "deployment", Embeddings: true},
		// https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html
		{ID: Bedrock, Name: "Amazon Bedrock", Fields: []string{"region", "maxConcurrency"}, KeyRequired: true, Model: "id",
			ListsModels: true, Embeddings: true},
		{ID: Compatible, Name: "OpenAI-compatible service", Fields: []string{"preset", "baseUrl", "dataRegion", "maxConcurrency"},
			Model: "id", ListsModels: true, Embeddings: true},
	}
}

// KindOf returns the kind with an id, and false if there is no such kind.
func KindOf(id string) (Kind, bool) {
	for _, k := range Kinds() {
		if k.ID == id {
			return k, true
		}
	}
	return Kind{}, false
}

// Takes reports whether keys of the kind have the field.
func (k Kind) Takes(field string) bool { return slices.Contains(k.Fields, field) }

// The groups of presets.
const (
	GroupEU         = "eu-hosted"
	GroupHosted     = "hosted"
	GroupSelfHosted = "self-hosted"
)

// Preset is a service with a compatible interface. Choosing it fills the base URL of a key, which stays
// editable.
type Preset struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	Group      string `json:"group" enum:"eu-hosted,hosted,self-hosted"`
	BaseURL    string `json:"baseUrl"`
	DataRegion string `json:"dataRegion,omitempty" doc:"Suggestion for the key's data region; the administrator declares it"`
	Key        bool   `json:"key" doc:"Whether the service wants a key"`
	Note       string `json:"note,omitempty"`

	// maxTokens means that the service limits the output by max_tokens only, and may ignore the newer name
	// without an error.
	maxTokens bool
}

const localhostNote = "localhost is a placeholder: inside a container it is the container itself. Replace it by a host name that " +
	"the API and the worker processes can reach; " +
	"plain http and private addresses must be allowed in the air-gap configuration."

// Presets lists the services: four hosted in the EU, four others, four self-hosted. The sources of the
// addresses are beside them; models.dev is anomalyco/models.dev at f3fc6922, catwalk is charm.land/catwalk
// v0.52.6.
func Presets() []Preset {
	return []Preset{
		// models.dev, catwalk; https://www.scaleway.com/en/docs/generative-apis/api-cli/using-chat-api
		{ID: "scaleway", Name: "Scaleway Generative APIs", Group: GroupEU, BaseURL: "https://api.scaleway.ai/v1", DataRegion: "eu",
			Key: true, maxTokens: true},
		// models.dev
		{ID: "ovhcloud", Name: "OVHcloud AI Endpoints", Group: GroupEU, BaseURL: "https://oai.endpoints.kepler.ai.cloud.ovh.net/v1",
			DataRegion: "eu", Key: true},
		// host: IONOS's OpenAPI description; /v1 inferred from its documentation
		{ID: "ionos", Name: "IONOS AI Model Hub", Group: GroupEU, BaseURL: "https://openai.inference.de-txl.ionos.com/v1",
			DataRegion: "eu", Key: true},
		// models.dev
		{ID: "stackit", Name: "STACKIT AI Model Serving", Group: GroupEU,
			BaseURL: "https://api.openai-compat.model-serving.eu01.onstackit.cloud/v1", DataRegion: "eu", Key: true},
		// models.dev, catwalk
		{ID: "openrouter", Name: "OpenRouter", Group: GroupHosted, BaseURL: "https://openrouter.ai/api/v1", Key: true,
			Note: "A router: the provider behind a model, and its region, can change from call to call."},
		// models.dev, catwalk
		{ID: "groq", Name: "Groq", Group: GroupHosted, BaseURL: "https://api.groq.com/openai/v1", Key: true},
		// models.dev; https://docs.together.ai/reference/chat-completions-1
		{ID: "together", Name: "Together AI", Group: GroupHosted, BaseURL: "https://api.together.ai/v1", Key: true, maxTokens: true},
		// https://ai.google.dev/gemini-api/docs/openai
		{ID: "gemini", Name: "Google Gemini", Group: GroupHosted, BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Key: true},
		// observed on Ollama 0.17.4; https://github.com/ollama/ollama/issues/7125
		{ID: "ollama", Name: "Ollama", Group: GroupSelfHosted, BaseURL: "http://localhost:11434/v1", DataRegion: ownRegion,
			Note: localhostNote + " Ollama cuts a prompt that is longer than its context without an error: set num_ctx high enough, and " +
				"enter it as contextTokens of the tiers.", maxTokens: true},
		// vllm/entrypoints/openai
		{ID: "vllm", Name: "vLLM", Group: GroupSelfHosted, BaseURL: "http://localhost:8000/v1", DataRegion: ownRegion, Note: localhostNote},
		// https://lmstudio.ai/docs; chat completions, parameters
		{ID: "lmstudio", Name: "LM Studio", Group: GroupSelfHosted, BaseURL: "http://localhost:1234/v1", DataRegion: ownRegion,
			Note: localhostNote, maxTokens: true},
		// LiteLLM proxy, /chat/completions
		{ID: "litellm", Name: "LiteLLM proxy", Group: GroupSelfHosted, BaseURL: "http://localhost:4000", DataRegion: ownRegion,
			Note: localhostNote + " The address has no /v1. The region is that of the providers behind the proxy."},
	}
}

// PresetOf returns the preset with an id, and false if there is no such preset.
func PresetOf(id string) (Preset, bool) {
	for _, p := range Presets() {
		if p.ID == id {
			return p, true
		}
	}
	return Preset{}, false
}

// WantsKey returns the name of the preset at the key's address and true if that service answers only with a
// key; false for other addresses.
func (k Key) WantsKey() (name string, wants bool) {
	if k.Kind != Compatible {
		return "", false
	}
	for _, p := range Presets() {
		if p.Key && strings.EqualFold(strings.TrimRight(k.BaseURL, "/"), p.BaseURL) {
			return p.Name, true
		}
	}
	return "", false
}

// MaxTokens reports whether to send the output limit as max_tokens, its old name. Self-hosted services most
// probably know that one: servers that retired it answer with an error, but servers that never learned the new
// name (llama.cpp's bindings, Ollama) ignore it and answer without a limit.
func (k Key) MaxTokens() bool {
	p, known := PresetOf(k.Preset)
	return !known || p.maxTokens
}

// CutsInput reports whether the service is known to read only a part of an input that is too long, without an
// error.
func (k Key) CutsInput() bool { return k.Preset == "ollama" } // observed on Ollama 0.17.4

// Tier is a tier of models.
type Tier struct {
	ID       string `json:"id" enum:"fast,standard,strong,panel,embeddings"`
	Required bool   `json:"required" doc:"The required tiers are routed together, or none is"`
	Effort   bool   `json:"effort" doc:"Whether it has a reasoning effort"`
	Use      string `json:"use"`
}

// Tiers lists the tiers in the order of the forms.
func Tiers() []Tier {
	return []Tier{
		{"fast", true, true, "Summaries of long descriptions"},
		{"standard", true, true, "Changes of up to 10 lines in up to 20 files, and the rules in larger ones"},
		{"strong", true, true, "Larger changes and sensitive paths, and the check of findings"},
		{"panel", false, true, "A model of a second vendor: looks for findings beside the tiers, which check them"},
		{"embeddings", false, false, "Search by meaning in the code index"},
	}
}

// VectorSizes are the vector sizes that the embeddings tier supports.
func VectorSizes() []int { return []int{384, 768, 1024, 1536, 3072} }
