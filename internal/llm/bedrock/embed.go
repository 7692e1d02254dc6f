package bedrock

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Embed implements [llm.Embedder]. It sends one request per text, because [catalog.TitanEmbeddings] take no
// more. Another family of models is a final error.
func (c *Client) Embed(ctx context.Context, in llm.EmbedRequest) (llm.Embeddings, error) {
	if err := wire.CheckEmbed(in); err != nil {
		return llm.Embeddings{}, err
	}
	if !strings.Contains(in.Model, catalog.TitanEmbeddings) {
		return llm.Embeddings{}, &llm.Error{Class: llm.ClassFinal, ProviderMessage: "The request was not sent: on Amazon Bedrock, " +
			"embeddings need a model of the family " + catalog.TitanEmbeddings + "."}
	}
	out := llm.Embeddings{Model: in.Model}
	vectors := make([][]float32, 0, len(in.Texts))
	for _, text := range in.Texts {
		v, err := c.vector(ctx, in, text, &out)
		if err != nil {
			return out, err
		}
		vectors = append(vectors, v)
	}
	out.Vectors = vectors
	return out, nil
}

// vector requests one vector. It adds the answer's usage and model to out, also if the vector cannot be used.
func (c *Client) vector(ctx context.Context, in llm.EmbedRequest, text string, out *llm.Embeddings) ([]float32, error) {
	rep, err := c.runtime.Post(ctx, "/model/"+url.PathEscape(in.Model)+"/invoke", struct {
		Text       string `json:"inputText"`
		Dimensions int    `json:"dimensions"`
		Normalize  bool   `json:"normalize"`
	}{text, in.Size, true})
	if err != nil {
		return nil, err
	}
	if !rep.OK() {
		return nil, failure(c.runtime, rep, llm.EffortDefault)
	}
	var a struct {
		Embedding []float32  `json:"embedding"`
		Tokens    wire.Count `json:"inputTextTokenCount"`
	}
	if json.Unmarshal(rep.Body, &a) != nil {
		return nil, rep.Invalid("The answer of the endpoint has no vector.")
	}
	out.Usage.InputTokens += int64(a.Tokens)
	out.RequestID = llm.RequestID(rep.Header)
	return a.Embedding, wire.CheckVectors(rep, in, [][]float32{a.Embedding})
}
