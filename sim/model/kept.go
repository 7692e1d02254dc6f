package model

// leastKept is the fewest tokens of a beginning that is kept: 1,024 with Anthropic (prompt caching, "Cache limitations") and OpenAI
// (prompt caching, "Requirements").
const leastKept = 1024

// keep counts what a request reads of beginnings that are kept, and what it adds to them.
func (s *Server) keep(q *request, u *Usage) {
	switch q.cacheKey {
	case "":
	case marked:
		read, written := s.kept.Marked(q.Model, q.text(), 4*leastKept, q.marks...)
		u.Cached, u.Written = min(tokens(read), u.Input), tokens(written)
	default:
		if read := tokens(s.kept.Common(q.Model+" "+q.cacheKey, q.text())); read >= leastKept {
			u.Cached = min(read, u.Input)
		}
	}
	u.Written = min(u.Written, u.Input-u.Cached)
}
