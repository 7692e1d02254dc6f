package tracking

import "context"

// LookNow is LookDue for connections that were asked a moment ago, too.
func (s *Service) LookNow(ctx context.Context) error { return s.lookDue(ctx, 0, 0, 100) }
