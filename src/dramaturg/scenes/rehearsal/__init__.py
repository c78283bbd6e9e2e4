"""The rehearsal company in a scene: it plans the scene, plays it and judges it, by rule and from phrase banks."""
