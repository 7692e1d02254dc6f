package model

// minCachedTokens is the smallest cached beginning in tokens: 1,024 for Anthropic (prompt caching, "Cache
// limitations") and OpenAI (prompt caching, "Requirements").
const minCachedTokens = 1024

// countCached counts the tokens that a request reads from cached beginnings, and those that it adds.
func (s *Server) countCached(q *request, u *Usage) {
	switch q.cacheKey {
	case "":
	case marked:
		read, written := s.kept.Marked(q.Model, q.text(), 4*minCachedTokens, q.marks...)
		u.Cached, u.Written = min(tokens(read), u.Input), tokens(written)
	default:
		if read := tokens(s.kept.Common(q.Model+" "+q.cacheKey, q.text())); read >= minCachedTokens {
			u.Cached = min(read, u.Input)
		}
	}
	u.Written = min(u.Written, u.Input-u.Cached)
}
