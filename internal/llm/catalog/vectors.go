package catalog

import (
	"fmt"
	"strings"

	"github.com/assay-dev/assay/internal/llm/modelsdev"
)

// TitanEmbeddings is a part of the ids of the only embedding models on Amazon Bedrock whose request body is
// documented well enough to use (user guide, "Amazon Titan Embeddings Text").
const TitanEmbeddings = "amazon.titan-embed-text-v2"

// vector is a model with known vector sizes.
type vector struct {
	kind  string
	model string // as suggested
	most  int    // the largest size
	only  int    // the only size that it shares with the interface; 0 means any up to most
}

// vectorModels lists models with few sizes. Sources: OpenAI REST description
// (dimensions: text-embedding-3 and later) and
// https://platform.openai.com/docs/guides/embeddings;
// https://docs.mistral.ai/capabilities/embeddings/text_embeddings;
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html
// (256, 512 or 1024).
func vectorModels() []vector {
	return []vector{
		{kind: OpenAI, model: "text-embedding-ada-002", only: 1536},
		{kind: OpenAI, model: "text-embedding-3-small", most: 1536},
		{kind: OpenAI, model: "text-embedding-3-large", most: 3072},
		{kind: Mistral, model: "mistral-embed", only: 1024},
		{kind: Bedrock, model: TitanEmbeddings + ":0", only: 1024},
	}
}

// is reports whether the model behind a key of the kind is this one, in any version or dated variant.
func (v vector) is(kind, model string) bool {
	if kind == Bedrock {
		return v.kind == Bedrock && strings.Contains(model, TitanEmbeddings)
	}
	return v.kind == kind && v.model == modelsdev.Undated(model)
}

// Refusal says what is wrong with a tier and which value would be right.
type Refusal struct {
	Field string // model or vectorSize; "" if nothing is known to be wrong
	Why   string
}

// RefusesVectors says which model or size would be right if the key's provider is known not to make vectors of
// this size with the model. It knows nothing about models outside the embedded data, about Azure deployments,
// whose names hide the model, or about self-hosted services.
func (k Key) RefusesVectors(model string, size int) Refusal {
	for _, v := range vectorModels() {
		switch {
		case !v.is(k.Kind, model):
		case v.only != 0 && size != v.only:
			return Refusal{"vectorSize", fmt.Sprintf("must be %d for this model", v.only)}
		case v.most != 0 && size > v.most:
			return Refusal{"vectorSize", fmt.Sprintf("must be at most %d for this model", v.most)}
		default:
			return Refusal{}
		}
	}
	switch {
	case k.Kind == Bedrock:
		return Refusal{"model", "must be a model of the family " + TitanEmbeddings +
			", with the vector size 1024: no other is supported on Amazon Bedrock"}
	case k.answersInWords(model):
		return Refusal{"model", "must be a model for embeddings; this one answers in words"}
	}
	return Refusal{}
}

// answersInWords reports whether the embedded data lists the model as one that answers with text, and so not
// with vectors.
func (k Key) answersInWords(model string) bool {
	from := k.ModelsDev()
	if from == "" || from == Azure || embeds.MatchString(model) {
		return false
	}
	data, err := modelsdev.Load()
	if err != nil {
		return false
	}
	m, ok := data.Find(from, strings.TrimPrefix(model, "models/")) // Gemini lists its models with this prefix
	return ok && (m.Tools || m.Structured)
}
