// Command proxy sends each HTTP request to one of several servers at random:
//
//	proxy -http :8080 http://localhost:8081 http://localhost:8082
package main

import (
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
)

func main() {
	address := flag.String("http", "localhost:8080", "listen on this `address`")
	flag.Parse()
	var servers []*url.URL
	for _, arg := range flag.Args() {
		u, err := url.Parse(arg)
		if err == nil && u.Host == "" {
			err = fmt.Errorf("%s is not the URL of a server", arg)
		}
		if err != nil {
			log.Fatal(err)
		}
		servers = append(servers, u)
	}
	if len(servers) == 0 {
		fmt.Fprintln(os.Stderr, "proxy: want the URLs of servers")
		os.Exit(2)
	}
	log.Fatal(http.ListenAndServe(*address, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(servers[rand.IntN(len(servers))])
			r.Out.Host = r.In.Host // which the servers check
		},
		FlushInterval: -1, // events leave at once
	}))
}
