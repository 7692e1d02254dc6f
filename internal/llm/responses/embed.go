package responses

import (
	"context"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// Embed implements [llm.Embedder].
func (c *Client) Embed(ctx context.Context, in llm.EmbedRequest) (llm.Embeddings, error) {
	return c.conn.Embed(ctx, in, wire.OpenAIEmbeddings)
}
