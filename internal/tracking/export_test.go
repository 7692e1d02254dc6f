package tracking

import "context"

// LookNow is LookDue, and includes connections that were asked a moment ago.
func (s *Service) LookNow(ctx context.Context) error { return s.lookDue(ctx, 0, 0, 100) }
