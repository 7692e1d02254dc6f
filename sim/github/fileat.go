package github

import "context"

// FileAt returns the bytes of a file at a commit.
func (s *Server) FileAt(ctx context.Context, fullName, commit, path string) ([]byte, error) {
	r, err := s.FindRepo(fullName)
	if err != nil {
		return nil, err
	}
	return r.file(ctx, commit, path)
}

func (r *repository) file(ctx context.Context, commit, path string) ([]byte, error) {
	entry, err := r.git.Entry(ctx, commit, path)
	if err != nil {
		return nil, err
	}
	return r.git.Blob(ctx, entry.SHA)
}
