package gitea

import "net/http"

func (s *Server) pageHandler() (http.Handler, error) { return http.NotFoundHandler(), nil }
